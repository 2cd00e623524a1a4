import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { CoreCannotPause, NoSuchProjection, NothingParked, ProjectionAdmin } from './projection-admin.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { viewUnit } from '../views/unit.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { ensureViewTables, finishViewTables } from '../views/view-tables.ts';

const titles = defineView<{ readonly title: string }>()({
  name: 'titles',
  version: 3,
  scope: 'project',
  key: scopeId,
  on: {
    ProjectRenamed: (_, { data }) => {
      if (data.to === 'POISON') throw new Error('this title cannot be taken');
      return { title: data.to };
    },
  },
});
const counts = defineView<{ readonly count: number }>()({
  name: 'counts',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: { ProjectRenamed: (row) => ({ count: (row?.count ?? 0) + 1 }) },
});
const unit = viewUnit('core', [titles, counts]);

let database: TestDatabase;
let log: SpecLog;
let admin: ProjectionAdmin;

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  admin = new ProjectionAdmin(database.pool, new LocalWake(), unit);
  await ensureViewTables(database.pool, unit);
  await finishViewTables(database.pool, unit);
});
afterAll(() => database.drop());

async function follow(): Promise<void> {
  const runner = new ViewRunner(unit, log, database.pool);
  await runner.begin();
  await runner.applyPage();
}
const rename = (to: string) => log.append('project-a', 'ProjectRenamed', { from: '', to });

it('tells of each core view where it stands and what waits', async () => {
  await rename('one');
  await follow();
  await rename('two');
  const { id } = await rename('POISON');
  const [behind] = await admin.list();
  expect(behind).toMatchObject({ name: 'titles', version: '3', state: 'live', position: 0, head: 2, gap: 2, parked: 0 });
  expect(behind?.lag).toBeGreaterThan(0);
  await follow();
  expect(await admin.list()).toMatchObject([
    { name: 'titles', gap: 0, lag: 0, parked: 1 },
    { name: 'counts', gap: 0, lag: 0, parked: 0 },
  ]);
  expect((await admin.status('titles')).rate).toBe(0);
  expect(await admin.parked('titles')).toMatchObject([{ key: 'a', n: 2, eventId: id, type: 'ProjectRenamed', attempts: 1 }]);
  await admin.retry('titles', id);
  const { rows } = await database.pool.query('SELECT retry FROM projection_parked');
  expect(rows).toEqual([{ retry: true }]);
});

it('shows the progress of a rebuild beside the tables in use', async () => {
  await rename('one');
  await follow();
  await admin.rebuild('counts');
  await ensureViewTables(database.pool, unit, `${unit.schema}_next`);
  await database.pool.query('UPDATE projection SET total = 1 WHERE schema = $1', [`${unit.schema}_next`]);
  expect(await admin.status('counts')).toMatchObject({ state: 'building', position: 0, done: 0, total: 1 });
});

it('refuses what cannot be done', async () => {
  await expect(admin.pause('titles')).rejects.toThrow(CoreCannotPause);
  await expect(admin.status('nothing')).rejects.toThrow(NoSuchProjection);
  await expect(admin.resume('nothing')).rejects.toThrow(NoSuchProjection);
  await expect(admin.retry('titles', 'x')).rejects.toThrow(NothingParked);
});
