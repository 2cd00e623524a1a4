import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/bytes.ts';

/** Maximal relative error of a quantile. */
export const RELATIVE_ERROR = 0.01;

const GAMMA = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);

/** DDSketch (Masson et al. 2019): a mergeable quantile sketch with logarithmic bins. Values are tenths of milliseconds; values below one count as one. */
export class Sketch {
  private readonly bins = new Map<number, number>();
  private total = 0;

  get count(): number {
    return this.total;
  }

  add(value: number, times = 1): void {
    this.put(value <= 1 ? 0 : Math.ceil(Math.log(value) / LOG_GAMMA), times);
  }

  merge(other: Sketch): void {
    for (const [bin, times] of other.bins) this.put(bin, times);
  }

  /** Null for an empty sketch. */
  quantile(q: number): number | null {
    return this.quantiles([q])?.[0] ?? null;
  }

  /** Several quantiles in one pass; `qs` must ascend. */
  quantiles(qs: readonly number[]): readonly number[] | null {
    if (this.total === 0) return null;
    const bins = this.sorted();
    let index = 0;
    let before = 0;
    return qs.map((q) => {
      const rank = Math.floor(q * (this.total - 1));
      for (;;) {
        const [bin, times] = bins[index] ?? [0, Infinity];
        if (rank < before + times) return valueOf(bin);
        before += times;
        index++;
      }
    });
  }

  write(writer: ByteWriter): void {
    const bins = this.sorted();
    writer.unsigned(bins.length);
    let last = 0;
    for (const [bin] of bins) {
      writer.unsigned(bin - last);
      last = bin;
    }
    for (const [, times] of bins) writer.unsigned(times);
  }

  static of(...parts: readonly Sketch[]): Sketch {
    const whole = new Sketch();
    for (const part of parts) whole.merge(part);
    return whole;
  }

  static read(reader: ByteReader): Sketch {
    const sketch = new Sketch();
    let bin = 0;
    const bins = Array.from({ length: reader.unsigned() }, () => (bin += reader.unsigned()));
    for (const one of bins) sketch.put(one, reader.unsigned());
    return sketch;
  }

  private put(bin: number, times: number): void {
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + times);
    this.total += times;
  }

  private sorted(): [number, number][] {
    return [...this.bins].sort(([one], [other]) => one - other);
  }
}

const valueOf = (bin: number): number => (bin === 0 ? 1 : (2 * GAMMA ** bin) / (GAMMA + 1));
