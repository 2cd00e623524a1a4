import type { ProbeOutcome } from './probe-outcome.ts';
import { stretchesOf, type UptimeSample } from './timeline.ts';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { HOUR_MS } from '../../../kernel/time.ts';
import { FINEST_MS, hasResponseTime } from '../response-times/bucket.ts';
import { Sketch } from '../response-times/sketch.ts';
import { tenths } from './sample.codec.ts';
import type { Sample } from './sample.ts';

export const HALF_HOUR = HOUR_MS / 2;
/** The beginning of the first half hour that lies within the 24 hours before an instant. */
export const halfHoursFrom = (at: number): number => Math.ceil((at - 24 * HOUR_MS) / HALF_HOUR) * HALF_HOUR;
/** The buckets that are kept of a closed day: whole ones need no sample of it. */
export const firstWhole = (at: number): number => Math.ceil(at / FINEST_MS) * FINEST_MS;

/** Median response times in whole milliseconds; null when nothing was measured. */
export interface HalfHour {
  readonly median: number | null;
  /** From the first whole bucket on: a series of half hours begins with it. */
  readonly medianOfWhole: number | null;
}

/** What a line of the list of sites shows of an hour of samples. */
export interface HourSummary {
  /** Outcomes that have the timeline of the samples. */
  readonly stretches: readonly UptimeSample[];
  readonly halves: readonly [HalfHour, HalfHour];
}

/** `samples`: those of the hour, in order. */
export function hourSummaryOf(hour: number, samples: readonly Sample[]): HourSummary {
  const begin = hour * HOUR_MS;
  return { stretches: stretchesOf(samples), halves: [halfHourOf(begin, samples), halfHourOf(begin + HALF_HOUR, samples)] };
}

function halfHourOf(begin: number, samples: readonly Sample[]): HalfHour {
  const [all, whole] = [new Sketch(), new Sketch()];
  for (const sample of samples) {
    if (sample.at < begin || sample.at >= begin + HALF_HOUR || !hasResponseTime(sample)) continue;
    const total = tenths(sample.total);
    all.add(total);
    if (sample.at >= firstWhole(begin)) whole.add(total);
  }
  return { median: medianOf(all), medianOfWhole: medianOf(whole) };
}

function medianOf(sketch: Sketch): number | null {
  const median = sketch.quantile(0.5);
  return median === null ? null : Math.round(median / 10);
}

const FORMAT = 1;
const outcomes: readonly ProbeOutcome[] = ['up', 'down', 'timeout'];

/** `packedBytes`: the size of the row that it is stored beside. */
export function packSummary(hour: number, { stretches, halves }: HourSummary, packedBytes: number): Buffer {
  const writer = new ByteWriter();
  writer.unsigned(FORMAT);
  writer.unsigned(packedBytes);
  for (const { median, medianOfWhole } of halves)
    for (const value of [median, medianOfWhole]) writer.unsigned(value === null ? 0 : value + 1);
  let last = hour * HOUR_MS;
  for (const { at, lastAt = at, outcome, periodSeconds } of stretches) {
    writer.unsigned(outcomes.indexOf(outcome));
    writer.unsigned(periodSeconds);
    writer.unsigned(at - last);
    writer.unsigned(lastAt - at);
    last = lastAt;
  }
  return writer.done();
}

/** Null if it summarizes other samples: during a rolling upgrade the former version replaces what is packed, and no summary. */
export function unpackSummary(hour: number, packed: Uint8Array, packedBytes: number): HourSummary | null {
  const reader = new ByteReader(packed);
  if (reader.unsigned() !== FORMAT || reader.unsigned() !== packedBytes) return null;
  const half = (): HalfHour => ({ median: readMedian(reader), medianOfWhole: readMedian(reader) });
  const halves = [half(), half()] as const;
  const stretches: UptimeSample[] = [];
  let last = hour * HOUR_MS;
  while (!reader.ended) {
    const outcome = outcomes[reader.unsigned()];
    if (outcome === undefined) throw new RangeError('a summary has an unknown outcome');
    const periodSeconds = reader.unsigned();
    const at = last + reader.unsigned();
    last = at + reader.unsigned();
    stretches.push(last === at ? { at, outcome, periodSeconds } : { at, outcome, periodSeconds, lastAt: last });
  }
  return { stretches, halves };
}

const readMedian = (reader: ByteReader): number | null => {
  const value = reader.unsigned();
  return value === 0 ? null : value - 1;
};
