import { tenths } from '../samples/sample.codec.ts';
import { phases, type Sample } from '../samples/sample.ts';
import { Sketch } from './sketch.ts';

/** The finest resolution that is kept for ever. */
export const FINEST_MS = 1_000_000;

/** Response times of complete answers in a time bucket from `start`. Sums in tenths of milliseconds, in the order of `phases`. */
export interface Bucket {
  readonly start: number;
  readonly count: number;
  readonly sums: readonly number[];
  /** Null where only the sums are kept. */
  readonly sketch: Sketch | null;
}

/** In the order of `phases`. Reading them by their names, one after the other, takes several times as long. */
type TimesOfPhases = readonly number[] & { readonly length: (typeof phases)['length'] };

/** Only complete answers count: the time until a refused connection is not a response time. */
export const hasResponseTime = ({ httpStatus }: Pick<Sample, 'httpStatus'>): boolean => httpStatus > 0;

/** Buckets aligned to the epoch, without empty ones. */
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
    const { dns, connect, tls, request, waiting, download, total } = sample;
    const times = [dns, connect, tls, request, waiting, download, total] satisfies TimesOfPhases;
    for (let index = 0; index < times.length; index++) bucket.sums[index] = (bucket.sums[index] ?? 0) + tenths(times[index] ?? 0);
    bucket.sketch.add(tenths(sample.total));
  }
  return [...buckets.values()].sort((one, other) => one.start - other.start);
}

/** Merges buckets into wider ones, with a sketch only where every part has one. */
export function widen(buckets: Iterable<Bucket>, resolutionMs: number): readonly Bucket[] {
  const wide = new Map<number, Bucket>();
  for (const bucket of buckets) {
    const start = Math.floor(bucket.start / resolutionMs) * resolutionMs;
    const known = wide.get(start);
    wide.set(start, known === undefined ? { ...bucket, start } : mergeBuckets(known, bucket));
  }
  return [...wide.values()].sort((one, other) => one.start - other.start);
}

function mergeBuckets(one: Bucket, other: Bucket): Bucket {
  const sums = one.sums.map((sum, index) => sum + (other.sums[index] ?? 0));
  const sketch = one.sketch === null || other.sketch === null ? null : Sketch.of(one.sketch, other.sketch);
  return { start: one.start, count: one.count + other.count, sums, sketch };
}

/** A bucket belongs to the day in which it starts, so a day's buckets end up to 1000 s after it. */
export const firstBucketOf = (dayStart: number): number => Math.ceil(dayStart / FINEST_MS) * FINEST_MS;
