import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import { MemoryViews } from '../../test/support/memory-views.ts';
import { dayClosingAt } from '../../test/support/observations/day-closing.ts';
import { sampleAt } from '../../test/support/observations/sample.ts';
import { samples as sampleEvents } from '../../test/samples/samples.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { randomId } from '../kernel/ids.ts';
import { ClosedBooks } from '../platform/observations/closed-days/closed-books.ts';
import { deflatePack } from '../platform/observations/codec/bytes.ts';
import { DAY_MS, HOUR_MS } from '../kernel/time.ts';
import { hourOf } from '../platform/observations/packs/pack-kind.ts';
import { PackCompactor } from '../platform/observations/packs/pack-compactor.ts';
import { PackWriter } from '../platform/observations/packs/pack-writer.ts';
import { applyRetention } from '../platform/observations/retention.ts';
import { PostgresSamples, sampleKind } from '../platform/observations/samples/postgres-samples.ts';
import type { Sample } from '../platform/observations/samples/sample.ts';
import { SummarizedHours } from '../platform/observations/samples/summarized-hours.ts';
import { type ProjectRow, projectView } from '../projects/project.view.ts';
import { ResponseTimesReader } from '../watches/response-times/response-times.reader.ts';
import { UptimeReader } from '../watches/uptime/uptime.reader.ts';
import { FiguresReading } from './figures-reading.ts';

const SITE = '0123456789abcdef01234567';
const START = Date.UTC(2025, 11, 30, 21);
const MINUTE = 60_000;

/** Failing around midnight and at times, alone and in a row, unmeasured for an hour now and then. */
const measured = (until: number): readonly Sample[] =>
  Array.from({ length: Math.floor((until - START) / MINUTE) }, (_, minute): Sample => {
    const isFailing = minute % 720 > 700 || minute % 97 === 5 || (minute % 1440 >= 170 && minute % 1440 < 190);
    const outcome = isFailing ? (minute % 3 === 0 ? 'timeout' : 'down') : 'up';
    const httpStatus = outcome === 'timeout' ? 0 : isFailing ? 503 : 200;
    return sampleAt(START + minute * MINUTE + (minute % 7) * 13, { outcome, httpStatus, total: 37 + ((minute * 31) % 211) / 10 });
  }).filter((_, minute) => minute % 1000 < 930);

let database: TestDatabase;
let store: MemoryEventStore;
let project: ProjectRow;
let reading: FiguresReading;
let fromSamples: FiguresReading;
let fallbacks = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const { pool } = database;
  await pool.query('TRUNCATE sample_flush, sample_hour, closed_book, observation_fence');
  await pool.query(`INSERT INTO observation_fence (name, epoch) VALUES ('eu-1', 1)`);
  store = new MemoryEventStore();
  const data = { ...sampleEvents(SITE).ProjectCreated, projectId: SITE };
  const id = randomId();
  const occurredAt = new Date(START).toISOString();
  const meta = { actor: { kind: 'checker', id: 'c' }, correlationId: id, causationId: null, commandId: id, occurredAt } as const;
  const scope = projectStream(SITE);
  await store.append(scope, 'no stream', [{ id: crypto.randomUUID(), type: 'ProjectCreated', version: 1, scope, meta, data }]);
  const views = new MemoryViews(() => store.events);
  const samples = new PostgresSamples(pool);
  const hours = new SummarizedHours(pool);
  const readers = [new UptimeReader(views, samples), new ResponseTimesReader(views, samples, new ClosedBooks(pool))] as const;
  fallbacks = 0;
  const until = async (projectId: string, at: number): ReturnType<SummarizedHours['until']> => {
    const recent = await hours.until(projectId, at);
    if (recent === null) fallbacks++;
    return recent;
  };
  reading = new FiguresReading(views, samples, { until }, ...readers);
  fromSamples = new FiguresReading(views, samples, { until: () => Promise.resolve(null) }, ...readers);
  const row = await views.get(projectView, SITE);
  if (row === null) throw new Error('there is no project');
  project = row;
});

/** As compaction leaves it: hours, and flushes since `tail`. */
async function written(all: readonly Sample[], tail: number): Promise<void> {
  await new PackCompactor(database.pool, sampleKind).write(
    SITE,
    all.filter(({ at }) => at < tail),
  );
  await flush(all.filter(({ at }) => at >= tail));
}

async function flush(samples: readonly Sample[]): Promise<void> {
  const writer = new PackWriter(database.pool, sampleKind, { pastMs: 1e13, futureMs: 1e13 });
  for (const item of samples)
    await writer.accept([
      {
        fence: { name: 'eu-1', epoch: 1 },
        observed: [
          { projectId: SITE, item },
          { projectId: 'f'.repeat(24), item },
        ],
      },
    ]);
}

async function same(at: number): Promise<void> {
  expect(await reading.of([project], at)).toEqual(await fromSamples.of([project], at));
}

describe('the figures of a screen', () => {
  it.each([0, 1, 2])('say with %i days closed what the samples say, at any time', async (days) => {
    const end = START + 3 * DAY_MS;
    await written(measured(end), end - 10 * MINUTE);
    if (days > 0) await dayClosingAt(database.pool, store, START + (days + 0.5) * DAY_MS).closeDue();
    // Closing a day compacts what was flushed.
    await flush(Array.from({ length: 8 }, (_, minute) => sampleAt(end + minute * MINUTE, { total: 90 + minute })));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -MINUTE, max: 12 * MINUTE }), (later) => same(end + later)),
      { numRuns: 20 },
    );
    expect(fallbacks).toBe(0);
    // Hours later, and around midnight, when yesterday is not closed yet.
    for (const later of [2, 3, 3.2, 4, 14, 26, 30]) await same(end + later * HOUR_MS);
    expect((await reading.of([project], end))[0]?.response.milliseconds.filter((median) => median !== null).length).toBeGreaterThan(40);
  });

  it('say the same of hours that a version without summaries has compacted, alone or after this one', async () => {
    const end = START + 1.6 * DAY_MS;
    const all = measured(end);
    await written(all, end - 10 * MINUTE);
    await database.pool.query('UPDATE sample_hour SET summary = NULL WHERE hour % 3 = 0');
    await same(end);
    expect(fallbacks).toBe(0);
    const hour = hourOf(end) - (hourOf(end) % 3 === 1 ? 3 : 4);
    const fewer = all.filter(({ at }) => hourOf(at) === hour).slice(0, 20);
    const replaced = await database.pool.query('UPDATE sample_hour SET packed = $1 WHERE hour = $2 AND summary IS NOT NULL', [
      deflatePack(sampleKind.pack(fewer)),
      hour,
    ]);
    expect(replaced.rowCount).toBe(1);
    await same(end);
    expect(fallbacks).toBe(1);
  });

  it('count a sample of an earlier hour that is not compacted yet', async () => {
    const end = START + 1.6 * DAY_MS;
    await written(measured(end), end);
    await flush([
      sampleAt(end - 4 * HOUR_MS + 17, { outcome: 'down', httpStatus: 0 }),
      sampleAt(end - 4 * HOUR_MS + 10_017, { outcome: 'down' }),
    ]);
    await same(end);
    expect(fallbacks).toBe(1);
    await new PackCompactor(database.pool, sampleKind).compact(0);
    await same(end);
    expect(fallbacks).toBe(1);
  });

  it('are those of the log when the samples are deleted', async () => {
    const end = START + 3 * DAY_MS;
    await written(measured(end), end);
    await dayClosingAt(database.pool, store, end + DAY_MS).closeDue();
    await applyRetention(database.pool, { days: 1, keptBytes: 1e9 }, end + 0.8 * DAY_MS);
    await same(end);
    await same(end + 0.4 * DAY_MS);
  });
});
