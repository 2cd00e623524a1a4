import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { tableRowsOf } from '../testing/law.ts';
import { freshLog } from '../testing/projection-spec.ts';
import { ensureSetTables } from './set-tables.ts';
import { SetRunner } from './set-runner.ts';
import type { SpecLog } from '../testing/spec-log.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { dropSchema } from '../engine/schemas.ts';

let isCorrected = false;
const renames = defineProjection({
  name: 'replayed',
  version: 1,
  tables: [
    'CREATE TABLE counted (project text, title text, times bigint, PRIMARY KEY (project, title))',
    'CREATE TABLE written (project text, n bigint PRIMARY KEY)',
  ],
  on: {
    ProjectRenamed: async ({ scope, data, n }, tx) => {
      tx.add('counted', { project: scope, title: data.to }, { times: 1 });
      if (data.to === 'POISON' && !isCorrected) throw new Error('this title cannot be taken');
      if (data.to === 'BAD SQL') await tx.query('SELECT * FROM nowhere');
      if (data.to === 'written') await tx.query('INSERT INTO written VALUES ($1, $2)', [scope, n]);
    },
  },
});
const live = schemaOf(renames);
const beside = `${live}_beside`;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const actions = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ project: fc.constantFrom('a', 'b'), title: fc.constantFrom('counted', 'written', 'POISON', 'BAD SQL') }),
  },
  { weight: 3, arbitrary: fc.record({ voided: fc.nat(99) }) },
  { weight: 5, arbitrary: fc.record({ step: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.constantFrom('restart', 'apply batch', 'retry', 'correct handler') },
);
type Action = typeof actions extends fc.Arbitrary<infer One> ? One : never;

async function runner(log: SpecLog, schema: string): Promise<SetRunner> {
  const made = new SetRunner(renames, log, database.pool, schema);
  await made.begin();
  return made;
}

async function perform(action: Action, one: SetRunner, log: SpecLog): Promise<unknown> {
  if (action === 'restart') return one.begin();
  if (action === 'apply batch') return one.applyBatch();
  if (action === 'correct handler') return (isCorrected = true);
  if (action === 'retry') return retry(one);
  if ('step' in action) return one.applyPage(action.step);
  if ('title' in action) return log.append(`project-${action.project}`, 'ProjectRenamed', { from: '', to: action.title });
  const head = await log.head();
  if (head >= 0) await log.append('system', 'EventVoided', { n: action.voided % (head + 1), eventId: 'x', reason: 'mistake' });
  return;
}

async function retry(one: SetRunner): Promise<void> {
  await database.pool.query('UPDATE projection_parked SET retry = true WHERE schema = $1', [live]);
  await one.retryParked();
}

async function stateOf(schema: string): Promise<readonly object[]> {
  const { rows } = await database.pool.query<object>('SELECT key, n FROM projection_parked WHERE schema = $1 ORDER BY 1', [schema]);
  return [rows, await tableRowsOf(database.pool, schema)];
}

const wantsRebuild = async (schema: string): Promise<boolean | undefined> =>
  (await database.pool.query<{ rebuild: boolean }>('SELECT rebuild FROM projection WHERE schema = $1', [schema])).rows[0]?.rebuild;

it('after any sequence of voidings, retries and restarts, the tables equal a rebuild or request one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 10, maxLength: 60 }), async (sequence) => {
      isCorrected = false;
      const log = await freshLog(database.pool, live);
      await ensureSetTables(database.pool, renames, live);
      const one = await runner(log, live);
      for (const action of sequence) await perform(action, one, log);
      const head = await log.head();
      while (one.position < head) await one.applyPage(5);
      await retry(one);
      await dropSchema(database.pool, beside);
      await ensureSetTables(database.pool, renames, beside);
      const filled = await runner(log, beside);
      while (filled.position < head) await filled.applyBatch();
      expect(await wantsRebuild(beside)).toBe(false);
      if ((await wantsRebuild(live)) !== true) expect(await stateOf(live)).toEqual(await stateOf(beside));
    }),
    { numRuns: 25 },
  );
});
