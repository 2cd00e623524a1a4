import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { dayClosingAt } from '../../../test/support/observations/day-closing.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { ClosedBooks } from '../../platform/observations/closed-days/closed-books.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { applyRetention } from '../../platform/observations/retention.ts';
import { PostgresSamples, sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { type ResponseTime, ResponseTimesReader } from './response-times.reader.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2026, 0, 1, 21);
const BUCKET = 1_000_000;

/** Three days of a site, ten minutes away each evening, every 50th probe without an answer. */
const samples: readonly Sample[] = Array.from({ length: 3 * 480 }, (_, index): Sample => {
  const answered = index % 50 !== 7;
  const waiting = 30 + (index % 40);
  return {
    at: START + index * 180_000 + (index % 480 > 470 ? 600_000 : 0),
    outcome: answered ? 'up' : 'timeout',
    periodSeconds: 60,
    httpStatus: answered ? 200 : 0,
    reason: null,
    dns: 1,
    connect: 2.5,
    tls: 3,
    request: 0.1,
    waiting,
    download: 4,
    total: waiting + 10.6,
  };
});

/** Means of the total, bucket by bucket, the slow and obvious way. */
function naive(from: number, to: number, resolution: number): (readonly [number, number, number])[] {
  const buckets = new Map<number, number[]>();
  for (const { at, httpStatus, total } of samples) {
    if (at < from || at >= to || httpStatus === 0) continue;
    const start = Math.floor(at / resolution) * resolution;
    buckets.set(start, [...(buckets.get(start) ?? []), total]);
  }
  return [...buckets]
    .sort(([one], [other]) => one - other)
    .map(([start, totals]) => [start, totals.length, rounded(totals.reduce((sum, total) => sum + total, 0) / totals.length)]);
}
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;

let database: TestDatabase;
let store: MemoryEventStore;
let reader: ResponseTimesReader;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE sample_flush, sample_hour, closed_book');
  store = new MemoryEventStore();
  reader = new ResponseTimesReader(new MemoryViews(() => store.events), new PostgresSamples(database.pool), new ClosedBooks(database.pool));
  await new PackCompactor(database.pool, sampleKind).write(SITE, samples);
});

async function shown(from: number, to: number, resolutionMs: number): Promise<(readonly [number, number, number])[]> {
  const times = await reader.between(SITE, { from, to, resolutionMs });
  return times.map(({ at, count, means }) => [at, count, rounded(means[6] ?? 0)]);
}

const spans = fc.record({
  from: fc.integer({ min: -DAY_MS, max: 3 * DAY_MS }),
  length: fc.oneof(fc.integer({ min: 0, max: 4 * DAY_MS }), fc.integer({ min: 0, max: 3_000_000 })),
  resolution: fc.constantFrom(BUCKET, 5 * BUCKET, 60_000, 1_500_000, DAY_MS),
});

describe('response times', () => {
  it.each([0, 1, 2, 4])('are the means of the samples with %i days closed', async (days) => {
    await dayClosingAt(database.pool, store, START + days * DAY_MS).closeDue();
    await fc.assert(
      fc.asyncProperty(spans, async ({ from, length, resolution }) => {
        const span = [START + from, START + from + length] as const;
        expect(await shown(...span, resolution)).toEqual(naive(...span, resolution));
      }),
      { numRuns: thorough(40, 8) },
    );
  });

  it('as of an instant are those of the samples that were recorded until then', async () => {
    const boundary = Math.ceil((START + DAY_MS) / BUCKET) * BUCKET;
    const late = { ...samples[0]!, at: boundary - 10_007, waiting: 5_000, total: 5_010.6, recordedAt: boundary + 100_000 };
    await new PackCompactor(database.pool, sampleKind).write(SITE, [late]);
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    const asOf = async (recordedUntil: number) => {
      const times = await reader.between(SITE, { from: START, to: recordedUntil, resolutionMs: BUCKET, recordedUntil });
      return times.map(({ at, count, means }) => [at, count, rounded(means[6] ?? 0)] as const);
    };
    expect(await asOf(boundary + 50_000)).toEqual(naive(START, boundary + 50_000, BUCKET));
    const count = (times: readonly (readonly [number, number, number])[]) => times.reduce((sum, [, responses]) => sum + responses, 0);
    expect(count(await asOf(boundary + 100_000))).toBe(count(naive(START, boundary + 100_000, BUCKET)) + 1);
  });

  it('are the same when the samples are gone, as fine as 1000 seconds', async () => {
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + 200 * DAY_MS);
    const span = [Math.floor(START / BUCKET) * BUCKET, START + 4 * DAY_MS] as const;
    expect(await shown(...span, BUCKET)).toEqual(naive(...span, BUCKET));
    expect(await shown(...span, 5 * BUCKET)).toEqual(naive(...span, 5 * BUCKET));
    expect(await shown(...span, 60_000)).toEqual(naive(...span, BUCKET));
  });

  it.each([1, 2, 3])('are the same when the samples of the first %i days are gone', async (days) => {
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    const { dropped } = await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + (90 + days) * DAY_MS);
    expect(dropped).toHaveLength(days);
    const bucketed = (at: number): number => Math.floor(at / BUCKET) * BUCKET;
    await fc.assert(
      fc.asyncProperty(spans, async ({ from, length, resolution }) => {
        const span = [bucketed(START + from), bucketed(START + from + length)] as const;
        const whole = resolution % BUCKET === 0 ? resolution : BUCKET;
        expect(await shown(...span, whole)).toEqual(naive(...span, whole));
        const each = await reader.between(SITE, { from: span[0], to: span[1], resolutionMs: 'each' });
        expect(each.reduce((sum, { count }) => sum + count, 0)).toBe(naive(...span, DAY_MS).reduce((sum, [, count]) => sum + count, 0));
      }),
      { numRuns: thorough(40, 8) },
    );
  });

  it('come with percentiles: of any bucket while samples are kept, of whole days afterwards', async () => {
    await dayClosingAt(database.pool, store, START + 2 * DAY_MS).closeDue();
    const ask = (resolutionMs: number) => reader.between(SITE, { from: START, to: START + 4 * DAY_MS, resolutionMs });
    expect((await ask(BUCKET)).every(({ percentiles }) => percentiles !== null)).toBe(true);
    const isRight = ([, day]: readonly ResponseTime[]): void => {
      expect(day?.at).toBe(Math.ceil(START / DAY_MS) * DAY_MS);
      expect(day?.percentiles?.p50).toBeGreaterThan(59 * 0.98);
      expect(day?.percentiles?.p50).toBeLessThan(61 * 1.02);
    };
    isRight(await ask(DAY_MS));
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + 200 * DAY_MS);
    expect((await ask(BUCKET)).every(({ percentiles }) => percentiles === null)).toBe(true);
    isRight(await ask(DAY_MS));
  });

  it('are each answer on its own when that is asked for', async () => {
    const each = await reader.between(SITE, { from: START, to: START + 3_600_000, resolutionMs: 'each' });
    expect(each.map(({ at }) => at)).toEqual(
      samples.filter(({ at, httpStatus }) => at < START + 3_600_000 && httpStatus > 0).map(({ at }) => at),
    );
    expect(each[0]).toMatchObject({ count: 1, means: [1, 2.5, 3, 0.1, 30, 4, 40.6], percentiles: null });
  });

  it('are those of 1000 seconds where each answer was asked for, and they are gone', async () => {
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + 200 * DAY_MS);
    const [from, to] = [Math.floor((START + DAY_MS) / BUCKET) * BUCKET, Math.floor((START + DAY_MS) / BUCKET) * BUCKET + 3 * BUCKET];
    const each = await reader.between(SITE, { from, to, resolutionMs: 'each' });
    expect(each.map(({ at, count, means }) => [at, count, rounded(means[6] ?? 0)])).toEqual(naive(from, to, BUCKET));
  });

  it('of a day that a span begins within are those of the whole day when the samples are gone', async () => {
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + 200 * DAY_MS);
    const noon = Math.floor(START / DAY_MS) * DAY_MS + 1.5 * DAY_MS;
    const days = (await shown(noon, noon + DAY_MS, DAY_MS)).map(([at]) => at);
    expect(days).toEqual([noon - DAY_MS / 2, noon + DAY_MS / 2]);
  });

  it('leave out nothing that is kept while the mark of the last closed day is still to come', async () => {
    await dayClosingAt(database.pool, store, START + 5 * DAY_MS).closeDue();
    // As of a day that is past the retention, and one of which the event was written, but not the mark.
    await database.pool.query(`UPDATE closed_book SET buckets = NULL WHERE day = (SELECT min(day) FROM closed_book)`);
    await database.pool.query(`DELETE FROM closed_book WHERE day = (SELECT max(day) FROM closed_book)`);
    const span = [Math.floor(START / BUCKET) * BUCKET, START + 4 * DAY_MS] as const;
    expect(await shown(...span, BUCKET)).toEqual(naive(...span, BUCKET));
  });
});
