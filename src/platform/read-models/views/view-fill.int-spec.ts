import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { readSchemaState } from '../engine/checkpoint.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from './unit.ts';
import { fillTo } from './view-fill.ts';
import { ensureViewTables } from './view-tables.ts';

interface Row {
  readonly title: string;
}

const unit = viewUnit('spec', [
  defineView<Row>()({
    name: 'titles',
    version: 1,
    scope: 'project',
    key: scopeId,
    on: {
      MemberAdded: () => ({ title: 'new' }),
      ProjectRenamed: (row, { data }) => {
        if (row === null) throw new Error('there is no project');
        return { title: data.to };
      },
    },
  }),
]);

let database: TestDatabase;
let log: SpecLog;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  await ensureViewTables(database.pool, unit);
});
afterAll(() => database.drop());

const fill = async (): Promise<void> => {
  const until = await log.head();
  await fillTo({ unit, log, db: database.pool, schema: unit.schema, signal: new AbortController().signal }, until);
};
const rename = (to: string) => log.append('project-a', 'ProjectRenamed', { from: '', to });

it('stops at an event that cannot be applied because an earlier one is voided, on every attempt', async () => {
  await log.append('project-a', 'MemberAdded', { userId: 1, role: '4' });
  await rename('one');
  await fill();
  await log.append('system', 'EventVoided', { n: 0, eventId: 'x', reason: 'mistake' });
  await rename('two');
  await expect(fill()).rejects.toThrow(/titles cannot apply ProjectRenamed at 1 .*there is no project/);
  await expect(fill()).rejects.toThrow(/titles cannot apply ProjectRenamed at 1 .*there is no project/);
  expect((await readSchemaState(database.pool, unit.schema))?.checkpoint.n).toBe(1);
  for (const n of [1, 3]) await log.append('system', 'EventVoided', { n, eventId: 'x', reason: 'nor that' });
  await fill();
  const { rows } = await database.pool.query(`SELECT key FROM "${unit.schema}".titles`);
  expect([rows, (await readSchemaState(database.pool, unit.schema))?.checkpoint.n]).toEqual([[], 5]);
});
