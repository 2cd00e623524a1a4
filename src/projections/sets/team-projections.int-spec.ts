import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { PostgresLeases } from '../../persistence/postgres-leases.ts';
import { PostgresWake } from '../../persistence/wake-postgres.ts';
import { PostgresLog } from '../../log/postgres-log.ts';
import { integerColumn } from '../authoring/columns.ts';
import { defineProjection } from '../authoring/define-projection.ts';
import { defineView, scopeId } from '../authoring/define-view.ts';
import { loadProjections, ProjectionPackageInvalid } from '../authoring/load-projections.ts';
import { SpecLog } from '../testing/spec-log.ts';
import { ensureSetTables } from './set-tables.ts';
import { TeamProjections } from './team-projections.ts';

const renames = (version: number) =>
  defineView<{ readonly count: number }>()({
    name: 'renames',
    version,
    scope: 'project',
    key: scopeId,
    on: { ProjectRenamed: (row) => ({ count: (row?.count ?? 0) + version }) },
    columns: { count: integerColumn((row: { readonly count: number }) => row.count) },
  });

const titles = defineProjection({
  name: 'titles',
  version: 1,
  tables: ['CREATE TABLE by_title (title text PRIMARY KEY, times bigint)'],
  on: {
    ProjectRenamed: ({ data }, tx) => {
      tx.add('by_title', { title: data.to }, { times: 1 });
    },
  },
});

/** Fails slowly on every event, in a single partition. */
const broken = defineProjection({
  name: 'broken',
  version: 1,
  tables: ['CREATE TABLE nothing (n bigint)'],
  partition: () => 'all',
  on: {
    ProjectRenamed: async (_, tx) => {
      await tx.query('SELECT pg_sleep(0.3)');
      throw new Error('never works');
    },
  },
});

const wrongTable = defineProjection({
  name: 'wrong',
  version: 1,
  tables: ['CREATE TABLE nonsense'],
  on: { ProjectRenamed: () => undefined },
});

let database: TestDatabase;
let log: SpecLog;
let wake: PostgresWake;
let leases: PostgresLeases;
let closing: (() => Promise<void>)[];
let errors: string[];
let waiting: string[];
let reasons: string[];
let shared: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  wake = new PostgresWake(database.url);
  leases = new PostgresLeases(database.url, wake);
  closing = [];
  errors = [];
  waiting = [];
  reasons = [];
  shared = [];
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  await leases.close();
  await wake.close();
  await database.drop();
});

const run = (...projections: ConstructorParameters<typeof TeamProjections>[1]): void => {
  runOn(database.url, ...projections);
};

function runOn(url: string, ...projections: ConstructorParameters<typeof TeamProjections>[1]): void {
  const report = (name: string, error: unknown) => errors.push(`${name}: ${String(error)}`);
  const openLog = (pool: TestDatabase['pool']) => new PostgresLog(pool, wake);
  const team = new TeamProjections(
    {
      ...{ url, wake, leases, openLog, report, secret: () => Promise.resolve(Buffer.from('secret')) },
      onSharedAccount: (name, reason) => void shared.push(`${name}: ${reason}`),
      onParked: ({ view, error }) => {
        waiting.push(view);
        reasons.push(error);
      },
    },
    projections,
  );
  closing.push(() => team.close());
  team.start();
}

async function rename(id: string, to: string): Promise<void> {
  await log.append(`project-${id}`, 'ProjectRenamed', { from: '', to });
  wake.ring('log');
}

async function shows(text: string, wanted: readonly object[]): Promise<void> {
  const read = async () => (await database.pool.query<object>(text).catch(() => ({ rows: [] }))).rows;
  const deadline = Date.now() + 200_000;
  while (JSON.stringify(await read()) !== JSON.stringify(wanted) && Date.now() < deadline) await sleep(20);
  expect(await read()).toEqual(wanted);
}

describe('TeamProjections', () => {
  it('run beside one that fails on every event, slowly, and one whose tables are invalid', async () => {
    run(renames(1), broken, wrongTable, titles);
    for (let round = 0; round < 5; round++) await rename('a', 'one');
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 5 }]);
    await shows('SELECT title, times::int FROM p_titles.by_title', [{ title: 'one', times: 5 }]);
    await shows(`SELECT view, key FROM projection_parked`, [{ view: 'broken', key: 'all' }]);
    expect(waiting).toEqual(['broken']);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every((error) => error.startsWith('wrong: '))).toBe(true);
  });

  it('fills a view without an event that was skipped for its version', async () => {
    const picky = (version: number) =>
      defineView<{ readonly title: string }>()({
        name: 'picky',
        version,
        scope: 'project',
        key: scopeId,
        on: {
          ProjectRenamed: (_, { data }) => {
            if (data.to === 'POISON' && version === 1) throw new Error('cannot take it');
            return { title: data.to };
          },
        },
      });
    await rename('a', 'fine');
    await rename('b', 'POISON');
    run(picky(1));
    await shows('SELECT view, key, n::int FROM projection_parked', [{ view: 'picky', key: 'b', n: 1 }]);
    await log.append('system', 'ProjectionEventSkipped', { projection: 'picky', version: 1, n: 1, eventId: 'x', reason: 'ours' });
    await shows('SELECT key FROM p_picky.picky', [{ key: 'a' }]);
    await shows('SELECT view FROM projection_parked', []);
    run(picky(2));
    await shows('SELECT key FROM p_picky.picky ORDER BY key', [{ key: 'a' }, { key: 'b' }]);
  });

  it('publishes a raised version of a view', async () => {
    await rename('a', 'one');
    run(renames(1));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 1 }]);
    run(renames(2));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
    await database.pool.query(`UPDATE projection SET rebuild = true WHERE schema = 'p_renames_v2'`);
    await database.pool.query('UPDATE p_renames_v2.renames SET count = 99');
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
  });

  it('keeps the raised version published after an older one, which still runs, was rebuilt', async () => {
    const counting = (version: number) =>
      defineProjection({
        name: 'counting',
        version,
        tables: ['CREATE TABLE by_title (title text PRIMARY KEY, times bigint)'],
        on: {
          ProjectRenamed: ({ data }, tx) => {
            tx.add('by_title', { title: data.to }, { times: version });
          },
        },
      });
    await rename('a', 'one');
    run(renames(1), counting(1));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 1 }]);
    await shows('SELECT times::int FROM p_counting.by_title', [{ times: 1 }]);
    run(renames(2), counting(2));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
    await shows('SELECT times::int FROM p_counting.by_title', [{ times: 2 }]);
    const made = `SELECT schema FROM projection WHERE schema LIKE '%\\_v1' AND created_at > (SELECT max(created_at) FROM projection WHERE schema LIKE '%\\_v2') ORDER BY 1`;
    await database.pool.query(`UPDATE projection SET rebuild = true WHERE schema LIKE '%\\_v1'`);
    wake.ring('projections');
    await shows(made, [{ schema: 'p_counting_v1' }, { schema: 'p_renames_v1' }]);
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
    await shows('SELECT times::int FROM p_counting.by_title', [{ times: 2 }]);
  });
});

/** Runs the new title as SQL. */
const sql = (version: number) =>
  defineProjection({
    name: 'sql',
    version,
    tables: ['CREATE TABLE done (statement text)'],
    on: {
      ProjectRenamed: async ({ data }, tx) => {
        await tx.query(data.to);
        await tx.query('INSERT INTO done VALUES ($1)', [data.to]);
      },
    },
  });

describe('the database role of a projection', () => {
  it('parks every event whose handler leaves its schema, and continues', async () => {
    run(titles);
    await shows(`SELECT state FROM projection`, [{ state: 'live' }]);
    run(sql(1));
    const refused = [
      ['SELECT * FROM public.log', 'permission denied for table log'],
      ['SELECT * FROM public.installation_secrets', 'permission denied for table installation_secrets'],
      ['RESET ROLE; SELECT * FROM public.log', 'permission denied for table log'],
      ['DELETE FROM public.projection', 'permission denied for table projection'],
      ['SELECT * FROM p_titles_v1.by_title', 'permission denied for schema p_titles_v1'],
      ['CREATE SCHEMA mine', 'permission denied for database'],
      ['SET ROLE pg_read_all_data', 'permission denied to set role'],
    ] as const;
    for (const [statement] of refused) await rename(statement, statement);
    await rename('fine', 'SELECT 1');
    await shows('SELECT statement FROM p_sql.done', [{ statement: 'SELECT 1' }]);
    expect(reasons).toEqual(refused.map(([, reason]): unknown => expect.stringContaining(reason)));
    expect(shared).toEqual([]);
  });

  it('sees no checkpoint and no parked event of others', async () => {
    run(titles, broken, sql(1));
    await rename('a', `UPDATE public.projection SET rebuild = false; DELETE FROM public.projection_parked WHERE view <> 'sql'`);
    await rename('b', `CREATE TABLE seen AS SELECT schema FROM public.projection`);
    await shows('SELECT schema FROM p_sql_v1.seen', [{ schema: 'p_sql_v1' }]);
    await shows('SELECT view FROM projection_parked', [{ view: 'broken' }]);
  });

  it('takes over tables that the account of the service created', async () => {
    await ensureSetTables(database.pool, titles, 'p_titles_v1');
    await rename('a', 'one');
    run(titles);
    await shows('SELECT title FROM p_titles.by_title', [{ title: 'one' }]);
    const owner = `SELECT DISTINCT tableowner LIKE 'watchledger\_%\_titles' AS own FROM pg_tables WHERE schemaname = 'p_titles_v1'`;
    await shows(owner, [{ own: true }]);
  });

  it('is created by an account with CREATEROLE that is no superuser, also through a rebuild', async () => {
    const url = await managedBy('CREATEROLE');
    await rename('a', 'one');
    runOn(url, titles);
    await shows('SELECT title FROM p_titles.by_title', [{ title: 'one' }]);
    await database.pool.query(`UPDATE p_titles_v1.by_title SET title = 'wrong'; UPDATE projection SET rebuild = true`);
    const ringing = setInterval(() => {
      for (const topic of ['projections', 'log']) wake.ring(topic);
    }, 50);
    await shows('SELECT title FROM p_titles.by_title', [{ title: 'one' }]);
    clearInterval(ringing);
    expect([shared, errors]).toEqual([[], []]);
  });

  it('is missing, and says so, where the account of the service may not create roles', async () => {
    const url = await managedBy('NOCREATEROLE');
    await rename('a', 'one');
    runOn(url, titles);
    await shows('SELECT title FROM p_titles.by_title', [{ title: 'one' }]);
    expect(shared).toEqual([expect.stringMatching(/^titles: permission denied to create role/)]);
  });
});

/** The address of the database for an account like that of a managed Postgres, which owns it without being a superuser. */
async function managedBy(attribute: string): Promise<string> {
  const url = new URL(database.url);
  const name = url.pathname.slice(1);
  url.username = `managed_${name}`;
  url.password = 'managed';
  const { rows } = await database.pool.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const owner = `OWNER TO ${url.username}`;
  await database.pool.query(`CREATE ROLE ${url.username} LOGIN ${attribute} PASSWORD 'managed'; ALTER DATABASE ${name} ${owner}`);
  for (const { name: table } of rows) await database.pool.query(`ALTER TABLE public."${table}" ${owner}`);
  return url.href;
}

describe('a team package', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'projections-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const fake = (name: string) =>
    `{ kind: 'projection', name: '${name}', version: 1, tables: [], handles: new Set(), partition: () => '', apply: async () => {} }`;

  it('is a file or an installed package with one projection, a list, or projections and a module', async () => {
    await writeFile(join(folder, 'one.js'), `export default ${fake('one')};`);
    await writeFile(join(folder, 'more.js'), `export default { projections: [${fake('two')}, ${fake('three')}], module: class {} };`);
    const packages = await loadProjections(['./one.js', join(folder, 'more.js')], folder, ['project']);
    expect(packages.map(({ projections }) => projections.map(({ name }) => name))).toEqual([['one'], ['two', 'three']]);
    expect(packages[1]?.module).toBeDefined();
  });

  it('is refused by name when it is missing, exports no projection, or uses a name twice', async () => {
    await writeFile(join(folder, 'one.js'), `export default ${fake('project')};`);
    await writeFile(join(folder, 'none.js'), `export default 7;`);
    const load = (name: string) => loadProjections([name], folder, ['project']);
    await expect(load('./one.js')).rejects.toThrow('./one.js: a projection project exists already, from the service itself');
    await expect(load('./none.js')).rejects.toThrow('./none.js does not export projections');
    await expect(load('not-installed')).rejects.toThrow(ProjectionPackageInvalid);
  });
});
