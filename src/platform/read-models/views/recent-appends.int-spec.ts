import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { PostgresEventStore } from '../../event-store/postgres/postgres-event-store.ts';
import { randomId } from '../../../kernel/ids.ts';
import { PostgresLog } from '../../log/postgres-log.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { titles, unit } from '../../../../test/support/view-world.ts';
import type { LogEvent, NewEvent } from '../../../kernel/event.ts';
import type { LogQuery } from '../../log/log.ts';
import { CheckpointMoved } from '../engine/checkpoint.ts';
import { UnitViews } from './unit-views.ts';
import { ViewRunner } from './view-runner.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

class CountingLog extends PostgresLog {
  reads = 0;

  override read(query: LogQuery): Promise<readonly LogEvent[]> {
    this.reads++;
    return super.read(query);
  }
}

let database: TestDatabase;
let log: CountingLog;
/** Two processes; the runner belongs to the first. */
let [own, other]: PostgresEventStore[] = [];
let runner: ViewRunner;
let views: UnitViews;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new CountingLog(database.pool, new LocalWake());
  [own, other] = [0, 1].map(() => new PostgresEventStore(database.pool, new LocalWake()));
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
  runner = new ViewRunner(unit, log, database.pool, own === undefined ? {} : { recent: own.recent });
  views = new UnitViews(unit, log, database.pool, () => runner.position);
  await runner.begin();
});
afterAll(() => database.drop());

async function rename(store: PostgresEventStore | undefined, id: string, revision: number, ...names: readonly string[]): Promise<void> {
  const events = names.map((to): NewEvent => {
    const own = randomId();
    const meta = { actor: { kind: 'user', id: '1' }, correlationId: own, causationId: null, commandId: own, occurredAt: '' } as const;
    return { id: own, type: 'ProjectRenamed', version: 1, scope: `project-${id}`, data: { from: '', to }, meta };
  });
  const answer = await store?.append(`project-${id}`, revision < 0 ? 'no stream' : revision, events);
  expect(answer?.kind).toBe('appended');
}

const titleOf = (id: string) => views.now().get(titles, id);

it('applies what its own process appended without reading the log', async () => {
  log.reads = 0;
  await rename(own, 'a', -1, 'one');
  await Promise.all([rename(own, 'a', 0, 'two', 'three'), rename(own, 'b', -1, 'other'), rename(own, 'c', -1, 'third')]);
  expect(await runner.applyPage()).toBe(5);
  expect(log.reads).toBe(0);
  expect(await titleOf('a')).toEqual({ title: 'three', changes: 3 });
  expect(await titleOf('b')).toEqual({ title: 'other', changes: 1 });
});

it('takes the same events as the log holds', async () => {
  await Promise.all(['a', 'b', 'c'].map((id) => rename(own, id, -1, 'one "quoted"', 'two\nlines', 'drei \u00e4\u2028')));
  await Promise.all(['a', 'b', 'c'].map((id, index) => rename(own, id, 2, ...Array.from({ length: index + 1 }, () => 'more'))));
  const appended = own?.recent.after(-1);
  expect(appended).toHaveLength(15);
  expect(appended).toEqual(await log.read({ after: -1, limit: 100 }));
});

it('reads the log where another process appended in between, and misses nothing', async () => {
  await rename(own, 'a', -1, 'one');
  await rename(other, 'a', 0, 'two');
  await rename(own, 'a', 1, 'three');
  while ((await runner.applyPage()) > 0);
  expect(await titleOf('a')).toEqual({ title: 'three', changes: 3 });
  await rename(other, 'a', 2, 'four');
  await rename(own, 'b', -1, 'first');
  while ((await runner.applyPage()) > 0);
  expect(await titleOf('a')).toEqual({ title: 'four', changes: 4 });
  expect(await titleOf('b')).toEqual({ title: 'first', changes: 1 });
});

it('applies nothing of an append that a failover of the database lost', async () => {
  await rename(own, 'a', -1, 'kept');
  await runner.applyPage();
  await rename(own, 'a', 0, 'lost');
  await database.pool.query('DELETE FROM log WHERE n = 1');
  await expect(runner.applyPage()).rejects.toThrow(CheckpointMoved);
  await runner.begin();
  expect(await runner.applyPage()).toBe(0);
  await rename(other, 'a', 0, 'new');
  await runner.applyPage();
  expect(await titleOf('a')).toEqual({ title: 'new', changes: 2 });
});

it('holds a bounded number of events where no runner takes them', async () => {
  await rename(own, 'a', -1, 'first');
  for (let revision = 0; revision < 1_200; revision += 60) await rename(own, 'a', revision, ...Array.from({ length: 60 }, () => 'more'));
  expect(own?.recent.after(-1)).toEqual([]);
  expect(own?.recent.after(200)).toHaveLength(1_000);
});
