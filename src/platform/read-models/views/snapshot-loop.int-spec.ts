import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/until.ts';
import { projectStream } from '../../../kernel/stream-names.ts';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';
import type { LogQuery } from '../../log/log.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { VoidedEvents } from '../engine/voided-events.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { FoldedViews } from './folded-views.ts';
import { ScopeSnapshots } from './scope-snapshots.ts';
import { SnapshotLoop } from './snapshot-loop.ts';
import { viewUnit } from './unit.ts';

const EVERY = 50;
const SCOPE = projectStream('a');

interface Titles {
  readonly titles: readonly string[];
}
const titles = defineView<Titles>()({
  ...{ name: 'titles', version: 1, scope: 'project', key: scopeId },
  on: {
    ProjectRenamed: (row, { data }) => {
      if (data.to === 'poison') throw new Error('cannot be folded');
      return { titles: [...(row?.titles ?? []).slice(-9), data.to] };
    },
    ProjectDeleted: () => null,
  },
});
/** A row per title, so that rows come and go. */
const byTitle = defineView<{ readonly n: number }>()({
  name: 'by_title',
  version: 1,
  scope: 'project',
  key: (event) => `${scopeId(event)}/${event.data.to}`,
  on: { ProjectRenamed: (row, { n, data }) => (data.from === 'end' ? null : { n: (row?.n ?? 0) + n }) },
});
const unit = viewUnit('spec', [titles, byTitle]);

let database: TestDatabase;
let log: SpecLog;
let loop: SnapshotLoop;
let head: number;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  loop = new SnapshotLoop({ unit, log, db: database.pool, every: EVERY });
  const bodies = Array.from({ length: 320 }, (_, n) => ({
    scope: projectStream(n % 4 === 3 ? 'b' : 'a'),
    type: 'ProjectRenamed',
    data: { from: n % 7 === 0 ? 'end' : '', to: String(n % 23) },
  }));
  head = (await log.appendAll(bodies)).at(-1)?.n ?? -1;
});
afterAll(() => database.drop());

/** The rows of both views as of `n`, and how many events were read for them. */
async function asOf(n: number, withSnapshots = true) {
  let read = 0;
  const counting = {
    read: async (query: LogQuery) => {
      const events = await log.read(query);
      if (query.scope === SCOPE) read += events.length;
      return events;
    },
  } as unknown as SpecLog;
  const snapshots = new ScopeSnapshots(database.pool, unit);
  const voided = new VoidedEvents(log, unit);
  const views = new FoldedViews(
    {
      ...{ unit, log: counting, voided, limit: new ConcurrencyLimit(2), scopesOf: () => Promise.resolve(new Map([['a', SCOPE]])) },
      ...(withSnapshots && {
        base: (scope: string, to: number, of: Parameters<ScopeSnapshots['read']>[2]) => snapshots.read(scope, to, of, voided),
      }),
    },
    n,
  );
  const rows = await Promise.all([
    views.list(titles, { scope: SCOPE, parked: 'as before' }),
    views.list(byTitle, { scope: SCOPE, parked: 'as before' }),
  ]);
  return { rows, read };
}

const placesOf = async (): Promise<readonly number[]> =>
  (await database.pool.query<{ n: string }>('SELECT n FROM as_of_snapshot WHERE scope = $1 ORDER BY n', [SCOPE])).rows.map(({ n }) =>
    Number(n),
  );

const verify = () => loop.verify(new AbortController().signal, () => undefined);

async function sameAsWithout(): Promise<void> {
  for (let n = 0; n <= head; n += 13) expect((await asOf(n)).rows).toEqual((await asOf(n, false)).rows);
}

it('answers every instant as without snapshots, from the events since the last one', async () => {
  await loop.extend(SCOPE);
  expect(await placesOf()).toHaveLength(4);
  await sameAsWithout();
  expect((await asOf(head)).read).toBeLessThan(EVERY);
  expect((await asOf(head, false)).read).toBe(240);
  expect(await verify()).toEqual([]);
});

it('reads write nothing', async () => {
  await loop.extend(SCOPE);
  const places = await placesOf();
  for (let n = 0; n < head; n += 31) await asOf(n);
  expect(await placesOf()).toEqual(places);
});

it('continues where it stands, also when nothing is due', async () => {
  await loop.extend(SCOPE);
  const places = await placesOf();
  await loop.extend(SCOPE);
  expect(await placesOf()).toEqual(places);
  const bodies = Array.from({ length: EVERY }, (_, n) => ({
    scope: SCOPE,
    type: 'ProjectRenamed',
    data: { from: '', to: `later ${String(n)}` },
  }));
  head = (await log.appendAll(bodies)).at(-1)?.n ?? -1;
  await loop.extend(SCOPE);
  expect(await placesOf()).toHaveLength(places.length + 1);
  await sameAsWithout();
});

describe('a snapshot is ignored, and made again,', () => {
  it.each([
    ['of an event that the log lost', 'UPDATE as_of_snapshot SET event_id = gen_random_uuid()'],
    ['of voided events that this log does not hold', 'UPDATE as_of_snapshot SET voided_until = 1000000'],
  ])('%s', async (_, damage) => {
    await loop.extend(SCOPE);
    await database.pool.query(damage);
    expect((await asOf(head)).read).toBe(240);
    await sameAsWithout();
    await loop.extend(SCOPE);
    expect((await asOf(head)).read).toBeLessThan(EVERY);
    await sameAsWithout();
  });

  it('when an event before it was voided since', async () => {
    await loop.extend(SCOPE);
    const [, second = 0] = await placesOf();
    await log.append('system', 'EventVoided', { n: second + 1, reason: 'broken' } as never);
    expect((await asOf(head)).read).toBeGreaterThan(100);
    await sameAsWithout();
    await loop.extend(SCOPE);
    expect((await asOf(head)).read).toBeLessThan(EVERY);
    await sameAsWithout();
    expect(await verify()).toEqual([]);
  });

  it('but not when the voided event is of another scope', async () => {
    await loop.extend(SCOPE);
    await log.append('system', 'EventVoided', { n: 3, reason: 'broken' } as never);
    expect((await asOf(head)).read).toBeLessThan(EVERY);
  });
});

it('makes no snapshot that holds a parked row', async () => {
  await log.append(SCOPE, 'ProjectRenamed', { from: '', to: 'poison' });
  const bodies = Array.from({ length: 2 * EVERY }, () => ({ scope: SCOPE, type: 'ProjectRenamed', data: { from: '', to: 'after' } }));
  head = (await log.appendAll(bodies)).at(-1)?.n ?? -1;
  await loop.extend(SCOPE);
  expect(await placesOf()).toHaveLength(4);
  await sameAsWithout();
});

it('names a snapshot that differs from a fold', async () => {
  await loop.extend(SCOPE);
  const [first = 0, second = 0] = await placesOf();
  await database.pool.query(
    `UPDATE as_of_rows SET rows = (SELECT rows FROM as_of_rows WHERE view = 'titles' AND n = $1) WHERE view = 'titles' AND n = $2`,
    [first, second],
  );
  expect(await verify()).toEqual([`${SCOPE} titles ${String(second)}`]);
});

it('finds long scopes as the log grows', async () => {
  await database.pool.query(`UPDATE log SET id = overlay(id::text PLACING '00' FROM 35)::uuid WHERE n = 300`);
  const stop = new AbortController();
  const running = loop.run(stop.signal);
  await until(async () => (await placesOf()).length === 4, 10_000);
  await until(async () => ((await database.pool.query('SELECT FROM as_of_progress WHERE n = $1', [head])).rowCount ?? 0) === 1, 10_000);
  stop.abort();
  await running;
});
