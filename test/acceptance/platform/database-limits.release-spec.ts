import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import pg from 'pg';
import { startThrowawayCluster, type ThrowawayCluster } from '../../../src/operations/embedded-postgres/throwaway-cluster.ts';
import { ApiClient } from '../../support/api-client.ts';
import { watchledger } from '../../support/command-line.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Longest for a write that nothing answers, on a busy machine. Without a bound it would wait until the standby returns. */
const REFUSED_MS = 60_000;

let cluster: ThrowawayCluster;
let admin: pg.Client;
let service: TestService;
let api: ApiClient;
let project: string;
let urlWith: (password: string) => string;

beforeAll(async () => {
  cluster = await startThrowawayCluster();
  admin = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await admin.connect();
  await admin.query(`CREATE ROLE service LOGIN PASSWORD 'leaked'`);
  await admin.query('CREATE DATABASE watchledger OWNER service');
  urlWith = (password) => Object.assign(new URL(`${cluster.url}/watchledger`), { username: 'service', password }).href;
  const url = urlWith('leaked');
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => undefined);
  service = await TestService.start({ database: { url, pool, drop: () => pool.end() }, env: { RATE_LIMIT: '0' } });
  api = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  const { body } = await api.post('/project/create', { url: 'https://shop.example' });
  project = `/project/${String(body.projectId ?? body.id)}`;
  await api.with({ 'idempotency-key': 'first' }).put(project, { title: 'Before' });
});
afterEach(async () => {
  await admin.query('ALTER SYSTEM RESET ALL');
  await admin.query('SELECT pg_reload_conf()');
  await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'watchledger' AND wait_event = 'SyncRep'`);
  await until(async () => (await ready()).ready, 30_000, 'that the service is ready again');
  expect((await api.put(project, { title: 'After' })).status).toBe(200);
});
afterAll(async () => {
  await service.stop();
  await admin.end();
  await cluster.stop();
});

async function ready(): Promise<{ readonly ready: boolean; readonly parts: Readonly<Record<string, string>> }> {
  const response = await fetch(`${service.url}/health/ready`);
  const body = (await response.json()) as Awaited<ReturnType<typeof ready>>;
  expect(response.status).toBe(body.ready ? 200 : 503);
  return body;
}

const set = async (setting: string): Promise<void> => {
  await admin.query(`ALTER SYSTEM SET ${setting}`);
  await admin.query('SELECT pg_reload_conf()');
};

/** Entries of the log that state a cause. */
const stated = (): readonly { readonly cause: string; readonly reason: string }[] =>
  service.log.filter((line) => line.includes('storage refuses work')).map((line) => JSON.parse(line) as never);

describe('a database that only reads', () => {
  it('serves reads, refuses writes, is not ready, and states the cause once', async () => {
    await set('default_transaction_read_only = on');
    await until(async () => !(await ready()).ready, 10_000, 'that the service is not ready');
    expect((await ready()).parts['database']).toBe('accepts no writes: default_transaction_read_only is on');
    expect((await api.get(project)).status).toBe(200);
    for (let times = 0; times < 2; times++) {
      const refused = await api.put(project, { title: 'During' });
      expect({ status: refused.status, retryAfter: refused.headers.get('retry-after') }).toEqual({ status: 503, retryAfter: '2' });
    }
    expect(stated()).toMatchObject([{ cause: 'read_only', reason: expect.stringContaining('read-only transaction') }]);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(/watchledger_storage_failures_total\{cause="read_only"\} [1-9]/);
  });
});

describe('a synchronous standby that is away', () => {
  it('refuses writes in bounded time, keyed ones too, serves reads and is not ready', async () => {
    await set(`synchronous_standby_names = 'away'`);
    const keyed = api.with({ 'idempotency-key': 'k' });
    for (const client of [api, keyed]) {
      const began = Date.now();
      const refused = await client.put(project, { title: `During ${String(began)}` });
      expect(refused.status).toBe(503);
      expect(Date.now() - began).toBeLessThan(REFUSED_MS);
    }
    expect((await api.get(project)).status).toBe(200);
    expect((await ready()).parts).toMatchObject({ database: 'commits wait for a synchronous standby (synchronous_standby_names)' });
  });
});

/** The procedure of docs/keys.md. Last, because the test database keeps the former address. */
describe('a leaked database password', () => {
  it('is replaced while the service runs; refused connections are named, and no acknowledged write is lost', async () => {
    const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/keys.md'), 'utf8');
    const run = (statement: string): Promise<unknown> => {
      expect(guide).toContain(statement);
      return admin.query(statement.replace('watchledger', 'service').replace("'...'", "'renewed'"));
    };
    const acknowledged: string[] = [];
    const write = async (title: string): Promise<number> => {
      const { status } = await api.put(project, { title });
      if (status === 200) acknowledged.push(title);
      return status;
    };
    expect(await write('with the leaked password')).toBe(200);
    await run(`ALTER ROLE watchledger PASSWORD '...'`);
    expect(await write('over connections that were open')).toBe(200);

    const env = { DATABASE_URL: urlWith('leaked'), MASTER_KEY: service.masterKey, DATA_DIR: '/nonexistent' };
    const examined = await watchledger(env, 'doctor').ran;
    expect(examined).toMatchObject({ status: 1, out: expect.stringContaining('password authentication failed') });
    expect(examined.out).toContain('correct the user and the password in DATABASE_URL');
    await expect(TestService.start({ beside: service })).rejects.toThrow('refuses the connection: password authentication failed');

    // An instance that was forgotten: its connections end, and the leaked password opens no others.
    await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'watchledger'`);
    const said = async (): Promise<string> => (await ready()).parts['database'] ?? '';
    await until(async () => (await said()).includes('password authentication failed'), 10_000, 'the reason in the readiness');
    const refused = await api.put(project, { title: 'refused' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(stated()).toContainEqual(expect.objectContaining({ cause: 'login_refused', reason: expect.stringContaining('"service"') }));
    expect(await (await fetch(`${service.url}/metrics`)).text()).toMatch(
      /watchledger_storage_failures_total\{cause="login_refused"\} [1-9]/,
    );

    const former = service;
    expect(await former.terminate()).toBe(0);
    service = await TestService.start({ beside: former, env: { DATABASE_URL: urlWith('renewed'), RATE_LIMIT: '0' } });
    api = new ApiClient(service.url, api.token);
    expect((await api.get(project)).body.title).toBe('over connections that were open');
    await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'watchledger'`);
    await until(async () => (await write('with the new password')) === 200, 10_000, 'a write over new connections');
    const { events } = (await api.get(`${project}/history?type=ProjectRenamed&order=asc`)).body;
    expect(acknowledged).toHaveLength(3);
    for (const title of acknowledged) expect(JSON.stringify(events)).toContain(title);
  });
});
