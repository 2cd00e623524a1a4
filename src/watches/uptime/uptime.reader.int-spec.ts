import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { dayClosingAt } from '../../../test/support/observations/day-closing.ts';
import { uptimeTotals } from '../../platform/observations/samples/report.ts';
import { timeline } from '../../platform/observations/samples/timeline.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { applyRetention } from '../../platform/observations/retention.ts';
import { PostgresSamples, sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { UptimeReader } from './uptime.reader.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2025, 11, 30, 21);

/** Four days over the turn of the year, down around midnight, flapping at times, unmeasured for some hours. */
const samples: readonly Sample[] = Array.from({ length: 4 * 1440 }, (_, minute): Sample => {
  const failing = minute % 720 > 700 || minute % 97 === 5 || (minute % 1440 >= 170 && minute % 1440 < 190);
  return sampleAt(START + minute * 60_000 + (minute % 7) * 13, { outcome: failing ? (minute % 2 === 0 ? 'down' : 'timeout') : 'up' });
}).filter((_, minute) => minute % 1000 < 800);

let database: TestDatabase;
let store: MemoryEventStore;
let reader: UptimeReader;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE sample_flush, sample_hour, closed_book');
  store = new MemoryEventStore();
  reader = new UptimeReader(views(), new PostgresSamples(database.pool));
  await new PackCompactor(database.pool, sampleKind).write(SITE, samples);
});

const views = (): MemoryViews => new MemoryViews(() => store.events);

const asked = fc.record({
  from: fc.integer({ min: -DAY_MS, max: 4 * DAY_MS }),
  length: fc.integer({ min: 0, max: 400 * DAY_MS }),
  now: fc.integer({ min: 3 * DAY_MS, max: 6 * DAY_MS }),
  offsetMinutes: fc.constantFrom(0, 840, -30, 330),
});

async function same(runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(asked, async ({ from, length, now, offsetMinutes }) => {
      const request = {
        from: START + from,
        to: START + from + length,
        now: START + now,
        offsetMinutes,
        excluded: [{ from: START + DAY_MS, to: START + DAY_MS + 7_200_000 }],
      };
      const all = uptimeTotals(timeline(samples, { from: -Infinity, to: Infinity }), request);
      expect(await reader.totals(SITE, request)).toEqual(all);
    }),
    { numRuns: runs },
  );
}

describe('the uptime report', () => {
  it.each([0, 1, 3, 6])('says with %i days closed what all samples say', async (days) => {
    await dayClosingAt(database.pool, store, START + days * DAY_MS).closeDue();
    await same(thorough(40, 8));
  });

  it('says the same when the samples are gone', async () => {
    await dayClosingAt(database.pool, store, START + 6 * DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 90, keptBytes: 1e9 }, START + 200 * DAY_MS);
    await same(thorough(40, 8));
  });

  it('as of an instant says what was known then, however many days were closed since', async () => {
    await dayClosingAt(database.pool, store, START + 2 * DAY_MS).closeDue();
    const n = store.events.length - 1;
    await dayClosingAt(database.pool, store, START + 6 * DAY_MS).closeDue();
    expect(store.events.length - 1).toBeGreaterThan(n);
    const then = new UptimeReader(new MemoryViews(() => store.events.slice(0, n + 1)), new PostgresSamples(database.pool));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2 * DAY_MS, max: 3 * DAY_MS }), fc.integer({ min: 0, max: 5 * DAY_MS }), async (at, length) => {
        const until = START + at;
        const request = { from: START, to: START + length, now: until, offsetMinutes: 0, excluded: [] };
        const known = timeline(
          samples.filter((sample) => sample.at <= until),
          { from: -Infinity, to: Infinity },
        );
        expect(await then.totals(SITE, { ...request, recordedUntil: until })).toEqual(uptimeTotals(known, request));
      }),
      { numRuns: thorough(40, 8) },
    );
  });

  it('of ten thousand years, or of another site, is an answer', async () => {
    const request = { from: -62_135_596_800_000, to: 253_402_300_799_000, now: START + 5 * DAY_MS, offsetMinutes: 0, excluded: [] };
    expect((await reader.totals(SITE, request)).days).toHaveLength(5);
    expect((await reader.totals('f123456789abcdef0123456f', request)).days).toEqual([]);
  });
});
