import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { CheckpointMismatch, CheckpointMoved } from '../engine/checkpoint.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { ensureSetTables } from './set-tables.ts';
import { FillRateLimit, throttled, unthrottled } from '../engine/fill-rate-limit.ts';
import { SetRunner } from './set-runner.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { schemaOf } from '../engine/schema-names.ts';

const PROJECTS = 10;
const counted = defineProjection({
  name: 'counted',
  version: 1,
  tables: ['CREATE TABLE renames (project text PRIMARY KEY, times bigint NOT NULL)', 'CREATE TABLE last (n bigint)'],
  on: {
    ProjectRenamed: async ({ scope, data }, tx) => {
      tx.add('renames', { project: scope }, { times: 1 });
      if (data.to === 'POISON') await tx.query('SELECT * FROM nowhere');
    },
  },
});
const schema = schemaOf(counted);

let database: TestDatabase;
let log: SpecLog;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureSetTables(database.pool, counted, schema);
});
afterAll(() => database.drop());

const renames = (count: number, poisoned: readonly number[] = []) =>
  Array.from({ length: count }, (_, index) => ({
    scope: `project-${String(index % PROJECTS)}`,
    type: 'ProjectRenamed',
    data: { from: '', to: poisoned.includes(index) ? 'POISON' : 'fine' },
  }));
async function runner(pace = unthrottled()): Promise<SetRunner> {
  const made = new SetRunner(counted, log, database.pool, schema, undefined, pace);
  await made.begin();
  return made;
}
/** The sum over all projects. */
async function sum(): Promise<number> {
  const { rows } = await database.pool.query<{ sum: string }>(`SELECT coalesce(sum(times), 0) AS sum FROM ${schema}.renames`);
  return Number(rows[0]?.sum);
}

it('applies many pages in one transaction, and answers 0 at the head of the log', async () => {
  await log.appendAll(renames(2_500));
  const { rows: before } = await database.pool.query('SELECT xmin FROM projection');
  const one = await runner(new FillRateLimit({ page: 1_000, pagesAhead: 4, rowsPerStatement: 2_000, batchMs: Infinity, share: 1 }));
  expect(await one.applyBatch()).toBe(2_500);
  expect([one.position, await sum()]).toEqual([2_499, 2_500]);
  expect((await database.pool.query('SELECT xmin FROM projection')).rows).not.toEqual(before);
  expect(await one.applyBatch()).toBe(0);
  await log.appendAll(renames(3));
  expect(await one.applyBatch()).toBe(3);
});

it('stops at an event that is damaged, and parks nothing, until the log is repaired', async () => {
  await log.appendAll(renames(20));
  const setText = (text: string) => database.pool.query('UPDATE log SET data = $1 WHERE n = 15', [text]);
  await setText('{"from":');
  const one = await runner();
  await expect(one.applyBatch()).rejects.toThrow('event 15 of the log is damaged');
  await expect(one.applyPage(20)).rejects.toThrow('event 15 of the log is damaged');
  expect([one.position, await sum()]).toEqual([-1, 0]);
  await setText('{"from":"","to":"fine"}');
  expect(await (await runner()).applyBatch()).toBe(20);
  expect(await sum()).toBe(20);
});

it('ends a batch after a page when the runner is stopped', async () => {
  await log.appendAll(renames(2_500));
  const one = await runner();
  expect(await one.applyBatch(undefined, AbortSignal.abort())).toBe(1_000);
  expect([one.position, await sum()]).toEqual([999, 1_000]);
});

it('rests after each page and each statement of a throttled batch', async () => {
  await log.appendAll(
    Array.from({ length: 250 }, (_, index) => ({
      scope: `project-${String(index)}`,
      type: 'ProjectRenamed',
      data: { from: '', to: 'fine' },
    })),
  );
  const pace = throttled();
  const rests = jest.spyOn(pace, 'rest');
  const pages = 250 / pace.page;
  const one = await runner(pace);
  expect(await one.applyBatch()).toBe(250);
  // A statement has a hundred rows.
  expect(rests).toHaveBeenCalledTimes(pages + 3);
  expect(await sum()).toBe(250);
});

it('parks a failing event within a batch of pages, and skips voided ones', async () => {
  await log.appendAll(renames(1_600, [1_203]));
  await log.append('system', 'EventVoided', { n: 7, eventId: 'x', reason: 'mistake' });
  await log.appendAll(renames(2_400));
  const one = await runner();
  while ((await one.applyBatch()) > 0);
  expect(one.position).toBe(4_000);
  const { rows } = await database.pool.query('SELECT key, n::int FROM projection_parked');
  expect(rows).toEqual([{ key: 'project-3', n: 1_203 }]);
  // The parked partition has the events before the parked one; the voided event is missing from the other one.
  expect(await sum()).toBe(9 * 400 + 120 - 1);
});

it('writes nothing when another runner was faster', async () => {
  await log.appendAll(renames(1_500));
  const [one, other] = [await runner(), await runner()];
  await one.applyBatch();
  await expect(other.applyBatch()).rejects.toThrow(CheckpointMoved);
  expect(await sum()).toBe(1_500);
});

it('stops at a gap in the log', async () => {
  await log.appendAll(renames(1_500));
  await database.pool.query('DELETE FROM log WHERE n = 1200');
  const one = await runner();
  await expect(one.applyBatch()).rejects.toThrow(CheckpointMismatch);
  expect(await sum()).toBe(0);
});

it('handles a voided event after a crash right behind its voiding', async () => {
  await log.appendAll(renames(3));
  await (await runner()).applyBatch();
  await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
  const dying = await runner();
  const read = log.read.bind(log);
  // A voided event is read by itself.
  log.read = (query) => (query.limit === 1 ? Promise.reject(new Error('killed')) : read(query));
  await expect(dying.applyPage(100)).rejects.toThrow('killed');
  log.read = read;
  await (await runner()).applyPage(100);
  expect((await database.pool.query('SELECT n::int, rebuild FROM projection')).rows).toEqual([{ n: 3, rebuild: true }]);
});

it('requests no rebuild when an event is voided before it is reached', async () => {
  await log.appendAll(renames(3));
  await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
  await (await runner()).applyBatch();
  expect([await sum(), (await database.pool.query('SELECT n::int, rebuild FROM projection')).rows]).toEqual([
    2,
    [{ n: 3, rebuild: false }],
  ]);
});
