import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { CheckpointMismatch, CheckpointMoved } from '../engine/checkpoint.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { ensureSetSchema } from './set-schema.ts';
import { unthrottled, FillRateLimit } from '../engine/fill-rate-limit.ts';
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
beforeEach(async () => {
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  await ensureSetSchema(database.pool, counted, schema);
});
afterEach(() => database.drop());

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

it('takes many pages in one transaction, and says when it is at the end', async () => {
  await log.appendAll(renames(2_500));
  const { rows: before } = await database.pool.query('SELECT xmin FROM projection');
  const one = await runner(new FillRateLimit({ page: 1_000, pagesAhead: 4, rowsAtOnce: 2_000, strideMs: Infinity, share: 1 }));
  expect(await one.stride()).toBe(2_500);
  expect([one.position, await sum()]).toEqual([2_499, 2_500]);
  expect((await database.pool.query('SELECT xmin FROM projection')).rows).not.toEqual(before);
  expect(await one.stride()).toBe(0);
  await log.appendAll(renames(3));
  expect(await one.stride()).toBe(3);
});

it('parks what it meets on a long way, and passes over what is voided there', async () => {
  await log.appendAll(renames(1_600, [1_203]));
  await log.append('system', 'EventVoided', { n: 7, eventId: 'x', reason: 'mistake' });
  await log.appendAll(renames(2_400));
  const one = await runner();
  while ((await one.stride()) > 0);
  expect(one.position).toBe(4_000);
  const { rows } = await database.pool.query('SELECT key, n::int FROM projection_parked');
  expect(rows).toEqual([{ key: 'project-3', n: 1_203 }]);
  // Of the parked partition what came before; of the other the event that was voided is missing.
  expect(await sum()).toBe(9 * 400 + 120 - 1);
});

it('writes nothing when somebody else was faster', async () => {
  await log.appendAll(renames(1_500));
  const [one, other] = [await runner(), await runner()];
  await one.stride();
  await expect(other.stride()).rejects.toThrow(CheckpointMoved);
  expect(await sum()).toBe(1_500);
});

it('stops at a gap in the log', async () => {
  await log.appendAll(renames(1_500));
  await database.pool.query('DELETE FROM log WHERE n = 1200');
  const one = await runner();
  await expect(one.stride()).rejects.toThrow(CheckpointMismatch);
  expect(await sum()).toBe(0);
});

it('heeds what is voided also when it died just after it had passed that', async () => {
  await log.appendAll(renames(3));
  await (await runner()).stride();
  await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
  const dying = await runner();
  const read = log.read.bind(log);
  // What is voided is looked up alone.
  log.read = (query) => (query.limit === 1 ? Promise.reject(new Error('killed')) : read(query));
  await expect(dying.step(100)).rejects.toThrow('killed');
  log.read = read;
  await (await runner()).step(100);
  expect((await database.pool.query('SELECT n::int, rebuild FROM projection')).rows).toEqual([{ n: 3, rebuild: true }]);
});

it('asks for nothing when an event is voided that it had not come to yet', async () => {
  await log.appendAll(renames(3));
  await log.append('system', 'EventVoided', { n: 1, eventId: 'x', reason: 'mistake' });
  await (await runner()).stride();
  expect([await sum(), (await database.pool.query('SELECT n::int, rebuild FROM projection')).rows]).toEqual([
    2,
    [{ n: 3, rebuild: false }],
  ]);
});
