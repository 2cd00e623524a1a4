import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/bytes.ts';
import type { Sample } from '../samples/sample.ts';
import { bucketsOf, FINEST_MS, firstBucketOf, widen } from './bucket.ts';
import { packBuckets, packSketchedBuckets, unpackBuckets, unpackSketchedBuckets } from './bucket.codec.ts';
import { RELATIVE_ERROR, Sketch } from './sketch.ts';

const tenth = fc.integer({ min: 1, max: 600_000 });
const tenths = fc.array(tenth, { maxLength: 300, size: 'max' });
const sketchOf = (values: readonly number[]): Sketch => values.reduce((sketch, value) => (sketch.add(value), sketch), new Sketch());
const quantiles = (sketch: Sketch): (number | null)[] => [0, 0.5, 0.95, 0.99, 1].map((q) => sketch.quantile(q));

describe('a sketch', () => {
  it('answers every quantile within its relative error', () => {
    fc.assert(
      fc.property(
        fc.array(tenth, { minLength: 1, maxLength: 300, size: 'max' }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const exact = [...values].sort((one, other) => one - other)[Math.floor(q * (values.length - 1))] ?? 0;
          expect(Math.abs((sketchOf(values).quantile(q) ?? 0) - exact)).toBeLessThanOrEqual(exact * RELATIVE_ERROR + 1e-6);
        },
      ),
    );
  });

  it('merges into the sketch of all values', () => {
    fc.assert(
      fc.property(tenths, tenths, (some, others) => {
        const merged = sketchOf(some);
        merged.merge(sketchOf(others));
        expect(quantiles(merged)).toEqual(quantiles(sketchOf([...some, ...others])));
        expect(merged.count).toBe(some.length + others.length);
      }),
    );
  });

  it('round-trips exactly, and has no quantile when empty', () => {
    fc.assert(
      fc.property(tenths, (values) => {
        const writer = new ByteWriter();
        sketchOf(values).write(writer);
        expect(quantiles(Sketch.read(new ByteReader(writer.done())))).toEqual(quantiles(sketchOf(values)));
      }),
    );
    expect(new Sketch().quantile(0.5)).toBeNull();
  });
});

const DAY = Date.UTC(2026, 0, 1);
const sample = (seconds: number, total: number, httpStatus = 200): Sample => ({
  at: DAY + seconds * 1000,
  outcome: 'up',
  periodSeconds: 15,
  httpStatus,
  reason: null,
  dns: 1,
  connect: 2,
  tls: 0,
  request: 0.1,
  waiting: total - 3.6,
  download: 0.5,
  total,
});

describe('buckets', () => {
  it('are aligned to the epoch and count complete answers only', () => {
    const found = bucketsOf([sample(0, 100), sample(15, 200), sample(30, 9, 0), sample(1000, 50)], FINEST_MS);
    expect(found.map(({ start, count, sums }) => [start % FINEST_MS, count, sums[6]])).toEqual([
      [0, 2, 3000],
      [0, 1, 500],
    ]);
    expect(found[0]?.start).toBeLessThanOrEqual(DAY);
  });

  it('merge into wider buckets of all samples', () => {
    const samples = fc.array(fc.tuple(fc.nat(86_400), fc.integer({ min: 4, max: 9000 }), fc.constantFrom(0, 200)), {
      maxLength: 400,
      size: 'max',
    });
    fc.assert(
      fc.property(samples, fc.constantFrom(1, 5, 86), (given, times) => {
        const all = given.map(([seconds, total, status]) => sample(seconds, total, status));
        const shown = (of: ReturnType<typeof bucketsOf>) =>
          of.map(({ start, count, sums, sketch }) => [start, count, sums, sketch && quantiles(sketch)]);
        expect(shown(widen(bucketsOf(all, FINEST_MS), FINEST_MS * times))).toEqual(shown(bucketsOf(all, FINEST_MS * times)));
      }),
    );
  });

  it('of a day round-trip exactly and fit a closed day', () => {
    let seed = 3;
    const noise = (): number => (seed = (seed * 16_807) % 2_147_483_647) % 100;
    const found = bucketsOf(
      Array.from({ length: 5760 }, (_, index) => sample(index * 15, 90 + noise())),
      FINEST_MS,
    );
    expect(unpackBuckets(packBuckets(found))).toEqual(found.map((bucket) => ({ ...bucket, sketch: null })));
    expect(packBuckets(found).toString('base64').length).toBeLessThan(5 * 1024);
    expect(unpackSketchedBuckets(packSketchedBuckets(found)).map(({ sketch }) => sketch?.quantile(0.95))).toEqual(
      found.map(({ sketch }) => sketch?.quantile(0.95)),
    );
  });

  it('belong to the day of their start', () => {
    expect(firstBucketOf(DAY)).toBeGreaterThanOrEqual(DAY);
    expect(firstBucketOf(DAY) - DAY).toBeLessThan(FINEST_MS);
    expect(firstBucketOf(2_000_000_000)).toBe(2_000_000_000);
  });
});
