import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { openPool } from '../../postgres/pool.ts';
import { defineProjection, type Projection } from '../authoring/define-projection.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { PooledTables } from '../authoring/projection-tables.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { PastProjections } from './past-projections.ts';
import { ensureSetTables } from './set-tables.ts';

const titles = defineProjection({
  name: 'titles',
  version: 1,
  tables: ['CREATE TABLE title (title text PRIMARY KEY, times bigint NOT NULL, last integer)', 'CREATE INDEX ON title (times)'],
  on: {
    ProjectRenamed: async ({ data, n }, tx) => {
      if (data.to === 'poison') throw new Error('cannot take it');
      tx.add('title', { title: data.to }, { times: 1 });
      await tx.query('UPDATE title SET last = $2 WHERE title = $1', [data.to, n]);
    },
  },
});
const QUERY = 'SELECT title, times::int, last FROM title ORDER BY last';

let database: TestDatabase;
let log: SpecLog;
let readOnly: ReturnType<typeof openPool>;
let tables: PooledTables;
beforeAll(async () => {
  database = await createTestDatabase();
  // As the pool of the teams.
  readOnly = openPool(database.url, { name: 'teams', max: 3, statementTimeoutMs: 5_000, readOnly: true });
});
afterAll(async () => {
  await readOnly.end();
  await database.drop();
});
beforeEach(async () => {
  await database.pool.query('TRUNCATE log');
  log = new SpecLog(database.pool);
  const past = new PastProjections(log, readOnly);
  tables = new PooledTables(readOnly, (instant) => past.asOf(instant));
});

const rename = (to: string, scope = 'project-a') => ({ scope, type: 'ProjectRenamed', data: { from: '', to } });
const answer = async (position: number, scope = 'project-a', projection: Projection = titles, text = QUERY): Promise<readonly object[]> =>
  (await tables.asOf(String(position))).query(projection, scope, text);

describe('a projection of a team as of an instant', () => {
  it('holds what its handlers made of the events of one project until then', async () => {
    await log.appendAll([rename('one'), rename('other', 'project-b'), rename('two'), rename('one'), rename('three')]);
    expect(await answer(0)).toEqual([{ title: 'one', times: 1, last: 0 }]);
    expect(await answer(3)).toEqual([
      { title: 'two', times: 1, last: 2 },
      { title: 'one', times: 2, last: 3 },
    ]);
    expect(await answer(4, 'project-b')).toEqual([{ title: 'other', times: 1, last: 1 }]);
    expect(await answer(4, 'project-c')).toEqual([]);
    expect((await tables.asOf('3')).position).toBe(3);
  });

  it('neither reads nor changes the live tables, and leaves nothing behind', async () => {
    const schema = schemaOf(titles);
    await ensureSetTables(database.pool, titles, schema);
    await database.pool.query(`INSERT INTO "${schema}".title VALUES ('live', 7)`);
    await log.appendAll([rename('one')]);
    expect(await answer(0)).toEqual([{ title: 'one', times: 1, last: 0 }]);
    expect((await database.pool.query(`SELECT title FROM "${schema}".title`)).rows).toEqual([{ title: 'live' }]);
    const { rows } = await database.pool.query(`SELECT relname FROM pg_class WHERE relname = 'title' AND relpersistence = 't'`);
    expect(rows).toEqual([]);
    await expect(answer(0, 'project-a', titles, `DELETE FROM "${schema}".title`)).rejects.toThrow(/read-only/);
    await expect(tables.query(`CREATE TEMP TABLE left_over (n int)`)).rejects.toThrow(/read-only/);
  });

  it('skips events that were voided, and refuses those that it cannot take', async () => {
    await log.appendAll([rename('one'), rename('poison'), rename('two')]);
    expect(await answer(0)).toHaveLength(1);
    await expect(answer(2)).rejects.toMatchObject({ code: 'KEY_PARKED' });
    const skipped = { projection: 'titles', version: 1, n: 1, eventId: 'e', stream: 'project-a', reason: 'a test' };
    await log.appendAll([{ scope: 'system', type: 'ProjectionEventSkipped', data: skipped }]);
    expect(await answer(2)).toEqual([
      { title: 'one', times: 1, last: 0 },
      { title: 'two', times: 1, last: 2 },
    ]);
  });

  it('refuses a position that the log does not have, and a history that is too long', async () => {
    await log.appendAll([rename('one')]);
    for (const asOf of ['7', 'soon', '2999-01-01T00:00:00Z'])
      await expect(tables.asOf(asOf)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await database.pool.query(
      `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
       SELECT n, n::text, gen_random_uuid(), 'project-long', n, 'ProjectRenamed', 1, 'project-long', now(), '{"from":"","to":"x"}', meta
       FROM generate_series(1, 10001) AS n, (SELECT meta FROM log) AS one`,
    );
    await expect(answer(10_001, 'project-long')).rejects.toThrow('asOf: titles can be read as of an instant with at most 10000 events');
    await expect(answer(10_001)).resolves.toHaveLength(1);
  });

  it('answers the documents of a view', async () => {
    const view = defineView<{ readonly title: string }>()({
      ...{ name: 'titles', version: 1, scope: 'project', key: scopeId },
      on: { ProjectRenamed: (_, { data }) => ({ title: data.to }), ProjectDeleted: () => null },
    });
    const deleted = { scope: 'project-a', type: 'ProjectDeleted', data: { title: '', url: '' } };
    await log.appendAll([rename('one'), rename('two'), rename('other', 'project-b'), deleted]);
    const rows = async (position: number) => [...(await (await tables.asOf(String(position))).rows(view, 'project-a'))];
    expect(await rows(0)).toEqual([['a', { title: 'one' }]]);
    expect(await rows(2)).toEqual([['a', { title: 'two' }]]);
    expect(await rows(3)).toEqual([]);
  });
});
