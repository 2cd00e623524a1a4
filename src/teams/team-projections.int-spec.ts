import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { PostgresLeases } from '../platform/postgres/postgres-leases.ts';
import { PostgresWake } from '../platform/postgres/wake-postgres.ts';
import { PostgresLog } from '../platform/log/postgres-log.ts';
import { ProjectionAdmin, ProjectionRuns } from '../platform/read-models/admin/projection-admin.ts';
import { SpecLog } from '../platform/read-models/testing/spec-log.ts';
import { viewUnit } from '../platform/read-models/views/unit.ts';
import { TeamPackages } from '../../test/support/team-packages.ts';
import { until } from '../../test/support/until.ts';
import { ADVISORY_LOCKS } from '../platform/postgres/advisory-locks.ts';
import { SessionGuard } from './database/session-guard.ts';
import { forgetTeam } from './database/team-role.ts';
import { TeamProjections } from './team-projections.ts';
import { isRelease } from '../../test/support/thorough.ts';

// Packages of teams, in the language of their authors: each is the default export of a file that runs in a process of its own.

const renames = (version: number): string => `defineView()({
    name: 'renames',
    version: ${String(version)},
    scope: 'project',
    key: scopeId,
    on: { ProjectRenamed: (row) => ({ count: (row?.count ?? 0) + ${String(version)} }) },
    columns: { count: integer((row) => row.count) },
  })`;

const titles = `defineProjection({
  name: 'titles',
  version: 1,
  tables: ['CREATE TABLE by_title (title text PRIMARY KEY, times bigint)'],
  on: { ProjectRenamed: ({ data }, tx) => tx.add('by_title', { title: data.to }, { times: 1 }) },
})`;

/** Fails slowly on every event, in a single partition. */
const broken = `defineProjection({
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
})`;

const wrongTable = `defineProjection({ name: 'wrong', version: 1, tables: ['CREATE TABLE nonsense'], on: { ProjectRenamed: () => undefined } })`;

let database: TestDatabase;
let log: SpecLog;
let wake: PostgresWake;
let leases: PostgresLeases;
let closing: (() => Promise<void>)[];
let errors: string[];
let packages: TeamPackages;
let shared: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  log = new SpecLog(database.pool);
  wake = new PostgresWake(database.url);
  leases = new PostgresLeases(database.url, wake);
  closing = [];
  errors = [];
  packages = await TeamPackages.open();
  shared = [];
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
  await packages.close();
  await leases.close();
  await wake.close();
  await database.drop();
});

/** One package with these projections. */
const run = (...projections: readonly string[]): Promise<void> => runOn(database.url, ...projections);

async function runOn(url: string, ...projections: readonly string[]): Promise<void> {
  const report = (name: string, error: unknown) => errors.push(`${name}: ${String(error)}`);
  const openLog = (pool: TestDatabase['pool']) => new PostgresLog(pool, wake);
  const running = new TeamProjections(
    {
      ...{ url, wake, leases, openLog, report, secret: () => Promise.resolve(Buffer.from('secret')) },
      onSharedAccount: (name, reason) => void shared.push(`${name}: ${reason}`),
      onParked: (parked) => packages.parked.push(parked),
    },
    [await packages.start(`[${projections.join(', ')}]`)],
  );
  closing.push(() => running.close());
  running.start();
}

const reasons = (): readonly string[] => packages.parked.map(({ error }) => error);

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
    await run(renames(1), broken, wrongTable, titles);
    for (let round = 0; round < 5; round++) await rename('a', 'one');
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 5 }]);
    await shows('SELECT title, times::int FROM p_titles.by_title', [{ title: 'one', times: 5 }]);
    await shows(`SELECT view, key FROM projection_parked`, [{ view: 'broken', key: 'all' }]);
    expect(packages.parked.map(({ view }) => view)).toEqual(['broken']);
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.every((error) => error.startsWith('wrong: '))).toBe(true);
  });

  it('fills a view without an event that was skipped for its version', async () => {
    const picky = (version: number) => `defineView()({
        name: 'picky',
        version: ${String(version)},
        scope: 'project',
        key: scopeId,
        on: {
          ProjectRenamed: (_, { data }) => {
            if (data.to === 'POISON' && ${String(version)} === 1) throw new Error('cannot take it');
            return { title: data.to };
          },
        },
      })`;
    await rename('a', 'fine');
    await rename('b', 'POISON');
    await run(picky(1));
    await shows('SELECT view, key, n::int FROM projection_parked', [{ view: 'picky', key: 'b', n: 1 }]);
    await log.append('system', 'ProjectionEventSkipped', { projection: 'picky', version: 1, n: 1, eventId: 'x', reason: 'ours' });
    await shows('SELECT key FROM p_picky.picky', [{ key: 'a' }]);
    await shows('SELECT view FROM projection_parked', []);
    await run(picky(2));
    await shows('SELECT key FROM p_picky.picky ORDER BY key', [{ key: 'a' }, { key: 'b' }]);
  });

  it('is stopped once no instance runs it, and can be removed then with its tables and its role', async () => {
    const admin = new ProjectionAdmin(database.pool, wake, viewUnit('core', []));
    const remove = (): Promise<void> => admin.remove('titles', (client) => forgetTeam(client, 'titles'));
    await run(titles);
    await rename('a', 'one');
    const titlesShown = 'SELECT title, times::int FROM p_titles.by_title';
    await shows(titlesShown, [{ title: 'one', times: 1 }]);
    expect(await admin.status('titles')).toMatchObject({ state: 'live' });
    await expect(remove()).rejects.toThrow(ProjectionRuns);
    await closing.pop()?.();
    await database.pool.query(`UPDATE lease SET heartbeat = heartbeat - interval '31 seconds'`);
    expect(await admin.status('titles')).toMatchObject({ state: 'stopped', error: expect.stringContaining('PROJECTIONS') });
    const { rows } = await database.pool.query<{ role: string }>(
      `SELECT pg_get_userbyid(nspowner) AS role FROM pg_namespace WHERE nspname = 'p_titles_v1'`,
    );
    await remove();
    expect(await admin.list()).toEqual([]);
    const left = `SELECT rolname::text AS name FROM pg_roles WHERE rolname = $1 UNION SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'p_titles')
      UNION SELECT projection FROM team_reads`;
    expect((await database.pool.query(left, [rows[0]?.role])).rows).toEqual([]);
    await expect(admin.remove('core', () => Promise.resolve())).rejects.toThrow(ProjectionRuns);
    await run(titles);
    await shows(titlesShown, [{ title: 'one', times: 1 }]);
  });

  it('publishes a raised version of a view', async () => {
    await rename('a', 'one');
    await run(renames(1));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 1 }]);
    await run(renames(2));
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
    await database.pool.query(`UPDATE projection SET rebuild = true WHERE schema = 'p_renames_v2'`);
    await database.pool.query('UPDATE p_renames_v2.renames SET count = 99');
    await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 2 }]);
  });

  if (isRelease)
    it('keeps the raised version published after an older one, which still runs, was rebuilt', async () => {
      const counting = (version: number) => `defineProjection({
        name: 'counting',
        version: ${String(version)},
        tables: ['CREATE TABLE by_title (title text PRIMARY KEY, times bigint)'],
        on: { ProjectRenamed: ({ data }, tx) => tx.add('by_title', { title: data.to }, { times: ${String(version)} }) },
      })`;
      await rename('a', 'one');
      await run(renames(1), counting(1));
      await shows('SELECT key, count::int FROM p_renames.renames', [{ key: 'a', count: 1 }]);
      await shows('SELECT times::int FROM p_counting.by_title', [{ times: 1 }]);
      await run(renames(2), counting(2));
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
const sql = `defineProjection({
    name: 'sql',
    version: 1,
    tables: ['CREATE TABLE done (statement text)'],
    on: {
      ProjectRenamed: async ({ data }, tx) => {
        await tx.query(data.to);
        await tx.query('INSERT INTO done VALUES ($1)', [data.to]);
      },
    },
  })`;

describe('the database role of a projection', () => {
  it('parks every event whose handler leaves its schema, and continues', async () => {
    await run(titles);
    await shows(`SELECT state FROM projection`, [{ state: 'live' }]);
    await run(sql);
    const refused = [
      ['SELECT * FROM public.log', 'permission denied for table log'],
      ['SELECT * FROM public.installation_secrets', 'permission denied for table installation_secrets'],
      ['RESET ROLE; SELECT * FROM public.log', 'permission denied for table log'],
      ['DELETE FROM public.projection', 'permission denied for table projection'],
      ['SELECT * FROM p_titles_v1.by_title', 'permission denied for schema p_titles_v1'],
      ['LOCK TABLE public.projection_parked', 'permission denied for table projection_parked'],
      ['SELECT name FROM public.wake_channel', 'permission denied for table wake_channel'],
      [`INSERT INTO public.team_reads VALUES (session_user, 'sql', 2, '{EmailConfirmed}')`, 'permission denied for table team_reads'],
      ['CREATE SCHEMA mine', 'permission denied for database'],
      ['SET ROLE pg_read_all_data', 'permission denied to set role'],
    ] as const;
    for (const [statement] of refused) await rename(statement, statement);
    await rename('fine', 'SELECT 1');
    await shows('SELECT statement FROM p_sql.done', [{ statement: 'SELECT 1' }]);
    expect(reasons()).toEqual(refused.map(([, reason]): unknown => expect.stringContaining(reason)));
    expect(shared).toEqual([]);
  });

  it('is all that its package is told of the database, also where the address names the account in its parameters', async () => {
    // What the service sends is read by code that the package may replace.
    const listening = `(() => {
      const { parse } = JSON;
      JSON.parse = (text, ...more) => (text.includes('postgres') && console.log(text), parse(text, ...more));
      return ${titles};
    })()`;
    const url = new URL(database.url);
    const { username, password } = url;
    Object.assign(url, { username: '', password: '' });
    for (const [name, value] of Object.entries({ user: username, password })) url.searchParams.set(name, value);
    await rename('a', 'one');
    for (const address of [database.url, url.href]) {
      await runOn(address, listening);
      await until(() => Promise.resolve(packages.output.length > 0), 20_000, 'the address');
      const told = packages.output.splice(0).join(' ');
      expect([told.includes('watchledger_'), [database.url, `${username}:`, password].some((secret) => told.includes(secret))]).toEqual([
        true,
        false,
      ]);
      await shows(
        `SELECT DISTINCT usename LIKE 'watchledger\\_%\\_titles' AS own FROM pg_stat_activity WHERE application_name LIKE '%team titles%'`,
        [{ own: true }],
      );
      await Promise.all(closing.splice(0).map((close) => close()));
    }
    expect(shared).toEqual([]);
  });

  it('sees no checkpoint and no parked event of others', async () => {
    await run(titles, broken, sql);
    await rename('a', `UPDATE public.projection SET rebuild = false; SELECT public.unpark('p_broken_v1', 'broken', 'all')`);
    await rename('b', `CREATE TABLE seen AS SELECT schema FROM public.projection`);
    await shows('SELECT schema FROM p_sql_v1.seen', [{ schema: 'p_sql_v1' }]);
    await shows('SELECT view FROM projection_parked', [{ view: 'broken' }]);
  });

  it('reads the events that its projection handles, and of others no more than their places', async () => {
    await log.append('account-1', 'EmailConfirmed', { by: 'link' });
    await rename('a', `CREATE TABLE seen AS SELECT n::int, type, scope, data FROM public.team_log(-1, 100, 100)`);
    await rename('b', `CREATE TABLE of_account AS SELECT n FROM public.team_log_of_scope('account-1', -1, 100, 100, NULL, NULL)`);
    await run(sql);
    await shows("SELECT n, type, scope, data LIKE '%CREATE TABLE%' AS own FROM p_sql_v1.seen ORDER BY n", [
      { n: 0, type: '', scope: '', own: false },
      { n: 1, type: 'ProjectRenamed', scope: 'project-a', own: true },
      { n: 2, type: 'ProjectRenamed', scope: 'project-b', own: true },
    ]);
    await shows('SELECT count(*)::int AS count FROM p_sql_v1.of_account', [{ count: 0 }]);
  });

  it('takes over tables that the account of the service created', async () => {
    await rename('a', 'one');
    await run(titles);
    await shows('SELECT title FROM p_titles.by_title', [{ title: 'one' }]);
    await Promise.all(closing.splice(0).map((close) => close()));
    await database.pool.query('ALTER SCHEMA p_titles_v1 OWNER TO CURRENT_USER; ALTER TABLE p_titles_v1.by_title OWNER TO CURRENT_USER');
    await rename('a', 'two');
    await run(titles);
    await shows('SELECT title FROM p_titles.by_title ORDER BY title', [{ title: 'one' }, { title: 'two' }]);
    const owner = `SELECT DISTINCT tableowner LIKE 'watchledger\_%\_titles' AS own FROM pg_tables WHERE schemaname = 'p_titles_v1'`;
    await shows(owner, [{ own: true }]);
  });

  it('is created by an account with CREATEROLE that is no superuser, also through a rebuild', async () => {
    const url = await managedBy('CREATEROLE');
    await rename('a', 'one');
    await runOn(url, titles);
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
    await runOn(url, titles);
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
  const { rows: functions } = await database.pool.query<{ name: string }>(
    `SELECT oid::regprocedure::text AS name FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind = 'f'`,
  );
  for (const { name: definition } of functions) await database.pool.query(`ALTER FUNCTION ${definition} ${owner}`);
  return url.href;
}

describe('an event that ends the process', () => {
  const fatal = (what: string): string => `defineProjection({
    name: 'fatal',
    version: 1,
    tables: ['CREATE TABLE seen (title text)'],
    on: {
      ProjectRenamed: async ({ data }, tx) => {
        if (data.to === 'POISON') ${what};
        await tx.query('INSERT INTO seen VALUES ($1)', [data.to]);
      },
    },
  })`;

  it('is parked with its partition when it does so twice alone, and all others are applied', async () => {
    for (const [project, title] of [
      ['a', 'one'],
      ['b', 'two'],
      ['a', 'POISON'],
      ['b', 'three'],
      ['a', 'four'],
    ] as const)
      await rename(project, title);
    await run(fatal('process.exit(9)'), titles);
    await shows('SELECT title FROM p_fatal.seen', [{ title: 'one' }, { title: 'two' }, { title: 'three' }]);
    await shows("SELECT title, times::int FROM p_titles.by_title WHERE title = 'four'", [{ title: 'four', times: 1 }]);
    await shows('SELECT view, key, n::int FROM projection_parked', [{ view: 'fatal', key: 'project-a', n: 2 }]);
    expect(packages.ends).toEqual(Array.from({ length: 3 }, () => 'it exited with status 9: process.exit()'));
    expect(reasons()).toEqual(['EndedProcess: it exited with status 9: process.exit()']);
  });

  if (isRelease)
    it('is not looked for in another projection that was busy at each end', async () => {
      const busy = `defineProjection({
      name: 'busy',
      version: 1,
      tables: ['CREATE TABLE heard (title text)'],
      on: {
        ProjectRenamed: async ({ data }, tx) => {
          if (data.to === 'two') await tx.query('SELECT pg_sleep(1)');
          await tx.query('INSERT INTO heard VALUES ($1)', [data.to]);
        },
      },
    })`;
      for (const [project, title] of [
        ['b', 'two'],
        ['a', 'POISON'],
      ] as const)
        await rename(project, title);
      await run(fatal('process.exit(9)'), busy);
      await shows('SELECT title FROM p_busy.heard', [{ title: 'two' }, { title: 'POISON' }]);
      await shows('SELECT view, key, n::int FROM projection_parked', [{ view: 'fatal', key: 'project-a', n: 1 }]);
    });
});

describe('the guard of database sessions', () => {
  it('ends sessions of teams that hold an advisory lock, and no others', async () => {
    await rename('a', `SELECT pg_advisory_lock(${String(ADVISORY_LOCKS.projectionSchemas)}), pg_sleep(60)`);
    await rename('b', 'SELECT 1');
    await run(sql);
    const locks = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE locktype = 'advisory' AND usename LIKE 'watchledger%\\_sql'`;
    await until(async () => (await database.pool.query(locks)).rowCount === 1, 60_000, 'a lock');
    const ended: string[] = [];
    const guard = new SessionGuard(database.pool, ({ reason }) => ended.push(reason));
    await guard.endOverdue();
    expect(ended).toEqual(['it took an advisory lock']);
    await until(async () => (await database.pool.query(locks)).rowCount === 0, 5_000, 'the end of the session');
  });
});
