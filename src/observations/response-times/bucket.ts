import { tenths } from '../samples/sample.codec.ts';
import { phases, type Sample } from '../samples/sample.ts';
import { Sketch } from './sketch.ts';

/** The finest that is kept for ever. */
export const FINEST_MS = 1_000_000;

/** What whole answers took within a stretch of time that begins at `start`. Sums in tenths of milliseconds, in the order of `phases`. */
export interface Bucket {
  readonly start: number;
  readonly count: number;
  readonly sums: readonly number[];
  /** Null where only the sums were kept. */
  readonly sketch: Sketch | null;
}

/** Only a whole answer took the time that an answer takes: how soon a connection was refused says nothing. */
export const hasResponseTime = ({ httpStatus }: Pick<Sample, 'httpStatus'>): boolean => httpStatus > 0;

/** Buckets aligned to the epoch; those without an answer are left out. */
export function bucketsOf(samples: Iterable<Sample>, resolutionMs: number): readonly Bucket[] {
  const buckets = new Map<number, { start: number; count: number; sums: number[]; sketch: Sketch }>();
  for (const sample of samples) {
    if (!hasResponseTime(sample)) continue;
    const start = Math.floor(sample.at / resolutionMs) * resolutionMs;
    let bucket = buckets.get(start);
    if (bucket === undefined) {
      bucket = { start, count: 0, sums: phases.map(() => 0), sketch: new Sketch() };
      buckets.set(start, bucket);
    }
    bucket.count++;
    for (let index = 0; index < phases.length; index++) {
      const phase = phases[index];
      if (phase !== undefined) bucket.sums[index] = (bucket.sums[index] ?? 0) + tenths(sample[phase]);
    }
    bucket.sketch.add(tenths(sample.total));
  }
  return [...buckets.values()].sort((one, other) => one.start - other.start);
}

/** Wider buckets out of narrow ones; a sketch only where every part has one. */
export function widen(buckets: Iterable<Bucket>, resolutionMs: number): readonly Bucket[] {
  const wide = new Map<number, { start: number; count: number; sums: number[]; sketch: Sketch | null }>();
  for (const bucket of buckets) {
    const start = Math.floor(bucket.start / resolutionMs) * resolutionMs;
    const into = wide.get(start) ?? { start, count: 0, sums: phases.map(() => 0), sketch: new Sketch() };
    wide.set(start, into);
    into.count += bucket.count;
    bucket.sums.forEach((sum, index) => {
      into.sums[index] = (into.sums[index] ?? 0) + sum;
    });
    if (bucket.sketch === null) into.sketch = null;
    else into.sketch?.merge(bucket.sketch);
  }
  return [...wide.values()].sort((one, other) => one.start - other.start);
}

/** A bucket belongs to the day in which it starts, so a day's buckets end up to 1000 s after it. */
export const firstBucketOf = (dayStart: number): number => Math.ceil(dayStart / FINEST_MS) * FINEST_MS;
