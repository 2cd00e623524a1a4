import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { TcpBalancer } from '../../../test/support/servers/tcp-balancer.ts';
import { until } from '../../../test/support/until.ts';
import { ConnectionSilent, ConnectionWatch } from './connection-watch.ts';
import { openPool } from './pool.ts';
import { PostgresWake } from './wake-postgres.ts';

const SILENT_MS = 500;

let database: TestDatabase;
let balancer: TcpBalancer;
let watch: ConnectionWatch;
let discarded: string[];
let silences: (number | null)[];
const pools: pg.Pool[] = [];

const openWatched = (statementTimeoutMs = 30_000): pg.Pool => {
  const pool = openPool(balancer.through(database.url), { name: 'watched', max: 3, statementTimeoutMs, watch });
  pools.push(pool);
  return pool;
};
const port = (): number => Number(new URL(database.url).port);
const hasSessions = async (condition: string, count: number): Promise<boolean> =>
  (await database.pool.query(`SELECT FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`)).rowCount === count;
/** The error, and after how many milliseconds. */
const failing = async (work: Promise<unknown>): Promise<[unknown, number]> => {
  const began = performance.now();
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return [error, performance.now() - began];
};

beforeEach(async () => {
  database = await createTestDatabase();
  balancer = await TcpBalancer.before(port());
  [discarded, silences] = [[], []];
  watch = new ConnectionWatch({
    url: balancer.through(database.url),
    silentMs: SILENT_MS,
    onDiscarded: (kind, connections) => discarded.push(...Array<string>(connections).fill(kind)),
    onSilence: (seconds) => silences.push(seconds),
  });
});
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await watch.close();
  await balancer.close();
  await database.drop();
});

describe('the watch over database connections', () => {
  it('ends a statement without a time limit soon after new connections lead to another server', async () => {
    const pool = openWatched(0);
    await pool.query('SELECT 1');
    const running = failing(pool.query('SELECT pg_sleep(60)'));
    await until(() => hasSessions(`query LIKE 'SELECT pg_sleep%'`, 1), 2_000);
    balancer.switchTo(port(), 'kept');
    // Not the same server to the watch: the sessions of a failed one are not there.
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'SELECT pg_sleep%'`,
    );
    const [error, ms] = await running;
    expect(error).toBeInstanceOf(ConnectionSilent);
    expect(ms).toBeLessThan(30_000);
    expect(discarded).toContain('moved');
    await expect(pool.query('SELECT 1')).resolves.toBeDefined();
  });

  it('closes idle connections that the server does not know any more, before they are used', async () => {
    const pool = openWatched();
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    for (const client of clients) client.release();
    balancer.switchTo(port(), 'kept');
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'watchledger watched'`,
    );
    await until(() => Promise.resolve(pool.totalCount === 0), 5_000);
    expect(discarded.filter((kind) => kind === 'moved')).toHaveLength(2);
  });

  it('asks rarely while no statement waits for an answer, and every second while one does', async () => {
    const pool = openWatched();
    await pool.query('SELECT 1');
    const askedAt = async (): Promise<string | undefined> =>
      (
        await database.pool.query<{ at: string }>(
          `SELECT query_start::text AS at FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%backend_start) = ANY%' AND pid <> pg_backend_pid()`,
        )
      ).rows[0]?.at;
    let quiet: string | undefined;
    // The first connection of the watch may ask twice.
    const isQuiet = async (): Promise<boolean> => {
      quiet = await askedAt();
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      return quiet !== undefined && (await askedAt()) === quiet;
    };
    await until(isQuiet, 5_000);
    const slow = failing(pool.query('SELECT pg_sleep(60)'));
    await until(async () => (await askedAt()) !== quiet, 2_400);
    await database.pool.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(60)'`,
    );
    await slow;
  });

  it('leaves a slow statement alone as long as the server works on it', async () => {
    const pool = openWatched(0);
    await expect(pool.query(`SELECT pg_sleep(${String((8 * SILENT_MS) / 1_000)})`)).resolves.toBeDefined();
    expect(discarded).toEqual([]);
  });

  it('ends a statement whose answer was lost, and its session with its locks', async () => {
    const pool = openWatched();
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock(42)');
    balancer.loseAnswers();
    const [error, ms] = await failing(client.query('SELECT 1'));
    client.release(true);
    expect(error).toBeInstanceOf(ConnectionSilent);
    expect(ms).toBeLessThan(30_000);
    expect(discarded).toContain('half-open');
    await until(() => hasSessions(`pid = ${String(rows[0]?.pid)}`, 0), 5_000);
  });

  it('ends statements of a silent database, but not those that have to wait, and tells when it answers again', async () => {
    const [pool, patient] = [openWatched(), openWatched(0)];
    await Promise.all([pool.query('SELECT 1'), patient.query('SELECT 1')]);
    let waited = false;
    balancer.blackHole();
    const waiting = failing(patient.query('SELECT 1')).finally(() => (waited = true));
    const [error, ms] = await failing(pool.query('SELECT 1'));
    expect(error).toBeInstanceOf(ConnectionSilent);
    expect(ms).toBeGreaterThan(SILENT_MS);
    expect(ms).toBeLessThan(30_000);
    expect(waited).toBe(false);
    balancer.heal();
    await until(() => Promise.resolve(silences.includes(null)), 5_000);
    await expect(pool.query('SELECT 1')).resolves.toBeDefined();
    // Its statement never arrived: idle at the server.
    expect((await waiting)[0]).toBeInstanceOf(ConnectionSilent);
  });

  it('fails statements and connection attempts at once while the service stops', async () => {
    const pool = openWatched(0);
    await pool.query('SELECT 1');
    balancer.blackHole();
    const stuck = failing(pool.query('SELECT 1'));
    const connecting = failing(pool.query('SELECT 1'));
    watch.stopping();
    for (const [error, ms] of await Promise.all([stuck, connecting])) {
      expect(error).toBeInstanceOf(Error);
      expect(ms).toBeLessThan(4_000);
    }
  });

  it('listens again for wake-ups on a new connection', async () => {
    const wake = new PostgresWake(balancer.through(database.url), watch);
    const ringing = new PostgresWake(database.url);
    const bell = wake.bell('topic');
    try {
      await until(() => hasSessions(`query LIKE 'SELECT pg_notify%'`, 2), 2_000);
      balancer.switchTo(port(), 'kept');
      await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'SELECT pg_notify%'`,
      );
      await until(async () => {
        ringing.ring('topic');
        return bell.wait(100);
      }, 5_000);
      await until(() => Promise.resolve(discarded.includes('moved')), 5_000);
      await until(async () => {
        ringing.ring('topic');
        return bell.wait(100);
      }, 5_000);
    } finally {
      await Promise.all([wake.close(), ringing.close()]);
    }
  });

  it('sets the limits of the server for the other direction', async () => {
    const { rows } = await openWatched().query<{ setting: string }>(
      `SELECT name || ' ' || setting AS setting FROM pg_settings WHERE name ~ '^tcp_|client_connection_check' ORDER BY 1`,
    );
    expect(rows.map(({ setting }) => setting)).toEqual([
      'client_connection_check_interval 5000',
      'tcp_keepalives_count 3',
      'tcp_keepalives_idle 10',
      'tcp_keepalives_interval 5',
      'tcp_user_timeout 20000',
    ]);
  });
});
