import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { tablesOf } from '../testing/law.ts';
import { freshLog } from '../testing/projection-spec.ts';
import { ensureSetSchema } from './set-schema.ts';
import { SetRunner } from './set-runner.ts';
import type { SpecLog } from '../testing/spec-log.ts';
import { dropSchema } from '../views/unit-schema.ts';
import { schemaOf } from '../engine/schema-names.ts';

let isMended = false;
const renames = defineProjection({
  name: 'lives',
  version: 1,
  tables: [
    'CREATE TABLE counted (project text, title text, times bigint, PRIMARY KEY (project, title))',
    'CREATE TABLE written (project text, n bigint PRIMARY KEY)',
  ],
  on: {
    ProjectRenamed: async ({ scope, data, n }, tx) => {
      tx.add('counted', { project: scope, title: data.to }, { times: 1 });
      if (data.to === 'POISON' && !isMended) throw new Error('this title cannot be taken');
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

const deeds = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({ project: fc.constantFrom('a', 'b'), title: fc.constantFrom('counted', 'written', 'POISON', 'BAD SQL') }),
  },
  { weight: 3, arbitrary: fc.record({ voided: fc.nat(99) }) },
  { weight: 5, arbitrary: fc.record({ step: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 2, arbitrary: fc.constantFrom('begins anew', 'strides', 'tries again', 'is mended') },
);
type Deed = typeof deeds extends fc.Arbitrary<infer One> ? One : never;

async function runner(log: SpecLog, schema: string): Promise<SetRunner> {
  const made = new SetRunner(renames, log, database.pool, schema);
  await made.begin();
  return made;
}

async function does(deed: Deed, one: SetRunner, log: SpecLog): Promise<unknown> {
  if (deed === 'begins anew') return one.begin();
  if (deed === 'strides') return one.stride();
  if (deed === 'is mended') return (isMended = true);
  if (deed === 'tries again') return triesAgain(one);
  if ('step' in deed) return one.step(deed.step);
  if ('title' in deed) return log.append(`project-${deed.project}`, 'ProjectRenamed', { from: '', to: deed.title });
  const head = await log.head();
  if (head >= 0) await log.append('system', 'EventVoided', { n: deed.voided % (head + 1), eventId: 'x', reason: 'mistake' });
  return;
}

async function triesAgain(one: SetRunner): Promise<void> {
  await database.pool.query('UPDATE projection_parked SET retry = true WHERE schema = $1', [live]);
  await one.retry();
}

async function stateOf(schema: string): Promise<readonly object[]> {
  const { rows } = await database.pool.query<object>('SELECT key, n FROM projection_parked WHERE schema = $1 ORDER BY 1', [schema]);
  return [rows, await tablesOf(database.pool, schema)];
}

const wantsRebuild = async (schema: string): Promise<boolean | undefined> =>
  (await database.pool.query<{ rebuild: boolean }>('SELECT rebuild FROM projection WHERE schema = $1', [schema])).rows[0]?.rebuild;

it('whatever is voided, tried again or begun anew, the tables are those that are filled from nothing, or have that asked for', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deeds, { minLength: 10, maxLength: 60 }), async (life) => {
      isMended = false;
      const log = await freshLog(database.pool, live);
      await ensureSetSchema(database.pool, renames, live);
      const one = await runner(log, live);
      for (const deed of life) await does(deed, one, log);
      const head = await log.head();
      while (one.position < head) await one.step(5);
      await triesAgain(one);
      await dropSchema(database.pool, beside);
      await ensureSetSchema(database.pool, renames, beside);
      const filled = await runner(log, beside);
      while (filled.position < head) await filled.stride();
      expect(await wantsRebuild(beside)).toBe(false);
      if ((await wantsRebuild(live)) !== true) expect(await stateOf(live)).toEqual(await stateOf(beside));
    }),
    { numRuns: 25 },
  );
});
