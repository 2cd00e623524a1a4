import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { history } from '../../../../test/samples/history.ts';
import { coreViews } from '../../../app/projection-table.ts';
import { defineProjection, type Projection } from '../authoring/define-projection.ts';
import { defineView, scopeId, type View } from '../authoring/define-view.ts';
import { replayProjection, replayViews } from './replay.ts';
import { replayInto, type TeamTarget } from './replay-into.ts';
import { ensureSetTables } from '../sets/set-tables.ts';
import { setTarget } from '../sets/set-lifecycle.ts';
import { SetRunner } from '../sets/set-runner.ts';
import { localSetWork } from '../sets/set-work.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { teamUnit, viewUnit } from '../views/unit.ts';
import { localViewWork } from '../views/view-work.ts';
import { ViewRunner } from '../views/view-runner.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { ensureViewTables, finishViewTables } from '../views/view-tables.ts';

const unit = viewUnit('core', coreViews);
const types = defineProjection({
  name: 'types',
  version: 1,
  tables: ['CREATE TABLE by_title (title text PRIMARY KEY, times bigint)'],
  on: {
    ProjectRenamed: ({ data }, tx) => {
      tx.add('by_title', { title: data.to }, { times: 1 });
    },
  },
});

let database: TestDatabase;
let log: SpecLog;
let done: number[];
const replay = () => ({ log, db: database.pool, signal: new AbortController().signal, progress: (now: number) => done.push(now) });
const schemas = async () =>
  (await database.pool.query<{ nspname: string }>(`SELECT nspname FROM pg_namespace WHERE nspname ~ 'core|p_|at_' ORDER BY 1`)).rows.map(
    ({ nspname }) => nspname,
  );

/** With their code in this process. */
const setOf = (projection: Projection) => setTarget(projection, localSetWork(projection, { log, db: database.pool }), database.pool);
const inSet = (projection: Projection): TeamTarget => ({ kind: 'set', set: setOf(projection) });
const inView = (view: View): TeamTarget => {
  const own = teamUnit(view);
  return { kind: 'view', unit: own, code: { work: localViewWork({ unit: own, log, db: database.pool }), own: () => Promise.resolve() } };
};

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
  log = new SpecLog(database.pool);
  done = [];
  await log.appendAll(history());
});
afterAll(() => database.drop());

describe('a replay of the views', () => {
  let runner: ViewRunner;
  beforeEach(async () => {
    await ensureViewTables(database.pool, unit);
    await finishViewTables(database.pool, unit);
    runner = new ViewRunner(unit, log, database.pool);
    await runner.begin();
    while ((await runner.applyPage()) > 0);
  });

  it('finds nothing where nothing is wrong, and leaves nothing behind', async () => {
    expect(await replayViews(unit, replay())).toEqual([]);
    expect(done.at(-1)).toBe((await log.head()) + 1);
    expect(await schemas()).toEqual([unit.schema]);
  });

  it('names each row that was changed, added or taken away behind the back of the log', async () => {
    await database.pool.query(
      `UPDATE ${unit.schema}.project SET doc = replace(doc::text, 'Renamed', 'Forged')::json, created = 9 WHERE key = 'b'`,
    );
    await database.pool.query(`DELETE FROM ${unit.schema}.account WHERE key = '2'`);
    await database.pool.query(`INSERT INTO ${unit.schema}.badge (key, scope, n, doc) VALUES ('x', 'project-x', 0, '{}')`);
    expect(await replayViews(unit, replay())).toEqual([
      { view: 'project', key: 'b', kind: 'different', columns: ['doc', 'created'] },
      { view: 'account', key: '2', kind: 'missing', columns: expect.arrayContaining(['doc']) },
      { view: 'badge', key: 'x', kind: 'extra', columns: expect.arrayContaining(['doc']) },
    ]);
  });

  it('leaves the database as it was at an instant, for SQL', async () => {
    await replayInto(unit, [], 'at_first', 3, replay());
    const { rows } = await database.pool.query(
      `SELECT key, doc->'settings'->>'title' AS title, members FROM at_first.project ORDER BY key`,
    );
    expect(rows).toMatchObject([
      { key: 'a', members: ['1'] },
      { key: 'b', members: ['1'] },
    ]);
    await expect(replayInto(unit, [], 'at_first', 3, replay())).rejects.toThrow('exists already');
    const { rows: known } = await database.pool.query('SELECT schema FROM projection');
    expect(known).toEqual([{ schema: unit.schema }]);
  });

  it('can be interrupted, and leaves nothing behind', async () => {
    const stop = new AbortController();
    stop.abort();
    await expect(replayInto(unit, [inSet(types)], 'at_never', 3, { ...replay(), signal: stop.signal })).rejects.toThrow('interrupted');
    expect(await replayViews(unit, { ...replay(), signal: stop.signal })).toEqual([]);
    expect(await schemas()).toEqual([unit.schema]);
  });
});

it('replays a set projection and names the rows that differ', async () => {
  const schema = schemaOf(types);
  await ensureSetTables(database.pool, types, schema);
  const runner = new SetRunner(types, log, database.pool, schema);
  await runner.begin();
  await runner.applyPage(1_000);
  expect(await replayProjection(setOf(types), replay())).toEqual([]);
  await database.pool.query(`UPDATE ${schema}.by_title SET times = 7`);
  expect(await replayProjection(setOf(types), replay())).toEqual([
    { view: 'types.by_title', key: '(Renamed,2)', kind: 'missing', columns: [] },
    { view: 'types.by_title', key: '(Renamed,7)', kind: 'extra', columns: [] },
  ]);
  expect(await schemas()).toEqual([schema]);
});

it('leaves the read models of teams beside those of the service, under unused names', async () => {
  const clashing = defineProjection({
    name: 'clashing',
    version: 3,
    tables: ['CREATE TABLE project (scope text PRIMARY KEY, n serial)', 'CREATE INDEX by_scope ON project (scope)'],
    on: { ProjectCreated: ({ scope }, tx) => tx.query('INSERT INTO project (scope) VALUES ($1)', [scope]) },
  });
  const titles = defineView<{ readonly title: string }>()({
    name: 'team_titles',
    version: 2,
    scope: 'project',
    key: scopeId,
    on: { ProjectRenamed: (_, { data }) => ({ title: data.to }) },
  });
  const head = await log.head();
  const left = await replayInto(unit, [inSet(types), inSet(clashing), inView(titles)], 'at_end', head, replay());
  expect(left).toMatchObject({ parked: 0, tables: { types: ['by_title'], clashing: ['clashing_project'], team_titles: ['team_titles'] } });
  const count = async (table: string) => Number((await database.pool.query(`SELECT FROM at_end.${table}`)).rowCount);
  expect(await Promise.all(['project', 'by_title', 'clashing_project', 'team_titles'].map(count))).toEqual([2, 1, 2, 2]);
  expect((await replayInto(unit, [inSet(types)], 'at_first', 0, replay())).tables).toMatchObject({ types: ['by_title'] });
  expect((await database.pool.query('SELECT FROM at_first.by_title')).rowCount).toBe(0);
  expect(await schemas()).toEqual(['at_end', 'at_first']);
  expect((await database.pool.query('SELECT FROM projection')).rowCount).toBe(0);
});
