import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { DATABASE } from '../../failover/failover-pair.ts';
import { PostgresServer } from '../../failover/postgres-server.ts';
import { parseVerifierKey } from '../../../src/client/proofs/signed-note.ts';
import { verifyExport } from '../../../src/client/proofs/verify-export.ts';
import { ApiClient } from '../../support/api-client.ts';
import { watchledger, watchledgerProcess } from '../../support/command-line.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

jest.setTimeout(300_000);

/** Its controller says which server answered, and how many names the projection has counted. */
const PACKAGE = `
  import { defineProjection, Needs, ProjectionTables, systemReader } from 'watchledger/projection';
  import { Controller, Get, Inject, Module, Query } from '@nestjs/common';

  const names = defineProjection({
    name: 'names',
    version: 1,
    tables: ['CREATE TABLE renaming (name text PRIMARY KEY, times bigint NOT NULL)'],
    on: { ProjectRenamed: ({ data }, tx): void => { tx.add('renaming', { name: data.to }, { times: 1 }); } },
  });

  @Controller('names')
  class NamesController {
    constructor(@Inject(ProjectionTables) private readonly tables: ProjectionTables) {}
    @Get() @Needs(systemReader)
    async now(): Promise<object> {
      const [row] = await this.tables.query('SELECT pg_is_in_recovery() AS standby, coalesce(sum(times), 0)::int AS times FROM p_names.renaming');
      return row;
    }
    @Get('past') @Needs(systemReader)
    async past(@Query('asOf') asOf: string, @Query('scope') scope: string): Promise<object> {
      const [row] = await (await this.tables.asOf(asOf)).query(names, scope, 'SELECT coalesce(sum(times), 0)::int AS times FROM renaming');
      return row;
    }
  }
  @Module({ controllers: [NamesController] })
  class NamesModule {}

  export default { projections: [names], module: NamesModule };
`;

let folder: string;
let primary: PostgresServer;
let replicas: readonly [PostgresServer, PostgresServer];
let services: readonly [TestService, TestService];
let clients: readonly [ApiClient, ApiClient];
let id: string;
let changes = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-replicas-'));
  primary = await PostgresServer.primary(join(folder, 'primary'));
  await primary.run(`CREATE DATABASE ${DATABASE}`);
  const standby = (name: string) => PostgresServer.standbyOf(primary, join(folder, name), primary.port);
  replicas = [await standby('first'), await standby('second')];
  const database = { url: primary.url(DATABASE), pool: new pg.Pool(), drop: () => Promise.resolve() };
  const file = join(folder, 'names.ts');
  writeFileSync(file, PACKAGE);
  const env = { READ_URL: replicas.map((one) => one.url(DATABASE)).join(','), RATE_LIMIT: '0', PROJECTIONS: file };
  const first = await TestService.start({ database, env });
  services = [first, await TestService.start({ beside: first, env: { ...env, ROLES: 'api' } })];
  const client = await new ApiClient(first.url).signIn(ADMIN.email, ADMIN.password);
  clients = [client, await new ApiClient(services[1].url).signIn(ADMIN.email, ADMIN.password)];
  ({ id } = (await client.post('/project/create', { url: 'https://shop.example.com/' })).body as { id: string });
  await until(async () => (await Promise.all(services.map(replicaHealth))).every((one) => one === 'ok'), 10_000, 'replicas in use');
});
afterAll(async () => {
  for (const service of services) await service.stop();
  for (const server of [...replicas, primary]) {
    server.resume();
    await server.remove();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function replicaHealth({ url }: TestService): Promise<string> {
  const answer = await fetch(`${url}/health/ready`);
  const { parts } = (await answer.json()) as { readonly parts: Readonly<Record<string, string>> };
  expect([answer.status, parts]).toEqual([200, expect.anything()]);
  return parts['replica'] ?? 'missing';
}

async function readsOf({ url }: TestService): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/^watchledger_replica_reads_total\{place="(\w+)"\} (\d+)$/gm)].map(([, place, n]) => [place, Number(n)]),
  );
}

/** Each change is made through one instance and read through the other, several times; answers the longest time that a read took. */
async function changeAndRead(rounds: number): Promise<number> {
  let longest = 0;
  const seen = new Map<ApiClient, number>();
  for (let round = 0; round < rounds; round++) {
    const title = `title ${String(++changes)}`;
    const [writer, reader] = round % 2 === 0 ? clients : [clients[1], clients[0]];
    await writer.put(`/project/${id}`, { name: title });
    for (const client of [reader, writer, reader]) {
      const began = performance.now();
      const { body, headers } = await client.get(`/project/${id}`);
      longest = Math.max(longest, performance.now() - began);
      expect(body).toMatchObject({ name: title });
      const position = Number(headers.get('watchledger-as-of'));
      expect(position).toBeGreaterThanOrEqual(seen.get(client) ?? -1);
      seen.set(client, position);
    }
  }
  return longest;
}

/** Keeps changing and reading until an instance names the replica as left out. */
async function leftOutWhile(server: PostgresServer, reason: RegExp): Promise<void> {
  const began = performance.now();
  let longest = 0;
  let said = '';
  // 5 s on an idle machine; most of it is patience.
  while (!said.includes(String(server.port)) && performance.now() - began < 60_000) {
    longest = Math.max(longest, await changeAndRead(1));
    said = await replicaHealth(services[0]);
  }
  expect(said).toMatch(reason);
  expect(longest).toBeLessThan(30_000);
}

describe('reads with READ_URL', () => {
  it('are answered by replicas, show every answered write through any instance, and never go back in time', async () => {
    const before = await readsOf(services[1]);
    await changeAndRead(40);
    let reads = { replica: 0, late: 0 };
    const hasAll = async (): Promise<boolean> => {
      const after = await readsOf(services[1]);
      const since = (place: string): number => (after[place] ?? 0) - (before[place] ?? 0);
      reads = { replica: since('replica'), late: since('late') };
      return reads.replica + reads.late === 60;
    };
    await until(hasAll, 5_000, 'every read counted');
    expect(reads.replica).toBeGreaterThan(30);
    for (const replica of replicas) {
      const sessions = await replica.run(`SELECT FROM pg_stat_activity WHERE application_name = 'watchledger replica'`);
      expect(sessions.length).toBeGreaterThan(0);
    }
  });

  it('of verify, export and projections query are answered by a replica, too', async () => {
    const env = { DATABASE_URL: primary.url(DATABASE), MASTER_KEY: services[0].masterKey, READ_URL: replicas[0].url(DATABASE) };
    const scans = async (): Promise<number> =>
      replicas[0].session(async (client) => {
        const { rows } = await client.query<{ scans: number }>(
          `SELECT (coalesce(seq_scan, 0) + coalesce(idx_scan, 0))::int AS scans FROM pg_stat_user_tables WHERE relname = 'ledger_state'`,
        );
        return rows[0]?.scans ?? 0;
      }, DATABASE);
    const before = await scans();
    const verified = await watchledger(env, 'verify', '--json').ran;
    expect([verified.status, JSON.parse(verified.out)]).toMatchObject([0, { intact: true }]);
    await until(async () => (await scans()) > before, 5_000, 'the seal read on the replica');
    const exported = await watchledger(env, 'export', id).ran;
    expect([exported.status, exported.out]).toEqual([0, expect.stringContaining('ProjectCreated')]);
    const sql = 'SELECT pg_is_in_recovery() AS standby';
    const queried = await watchledger(env, 'projections', 'query', sql, '--json').ran;
    expect([queried.status, JSON.parse(queried.out)]).toEqual([0, { rows: [{ standby: true }] }]);
    const written = await watchledger(env, 'projections', 'query', 'DELETE FROM log', '--json').ran;
    expect([written.status, written.err]).toEqual([1, expect.stringContaining('read-only transaction')]);
  });

  it('of an export over HTTP are answered by a replica, and what it says verifies', async () => {
    const before = await readsOf(services[1]);
    const { status, text } = await clients[1].get(`/project/${id}/history/export`);
    expect(status).toBe(200);
    await until(async () => ((await readsOf(services[1]))['replica'] ?? 0) > (before['replica'] ?? 0), 5_000, 'the read of a replica');
    const keys = (await clients[1].get('/ledger/key')).text.trim().split('\n').map(parseVerifierKey);
    const verdict = await verifyExport(Readable.from([Buffer.from(text)]), keys);
    expect(verdict).toMatchObject({ kind: 'intact', head: { project: id } });
  });

  it('of controllers of packages are answered by a replica, which never shows less than a read before did', async () => {
    interface Names {
      readonly standby: boolean;
      readonly times: number;
    }
    const read = async (client: ApiClient): Promise<Names> => (await client.ofTeams().get('/names')).body;
    await clients[0].put(`/project/${id}`, { title: `title ${String(++changes)}` });
    await until(async () => (await read(clients[0])).times > 0, 20_000, 'the projection of the package');
    let seen = 1;
    for (let round = 0; round < 30; round++) {
      await clients[0].put(`/project/${id}`, { title: `title ${String(++changes)}` });
      for (const client of [clients[1], clients[0], clients[1]]) {
        const { times } = await read(client);
        expect(times).toBeGreaterThanOrEqual(seen);
        seen = times;
      }
    }
    await until(async () => (await read(clients[1])).standby, 10_000, 'an answer of a replica');
    // A fold needs tables, which a standby cannot make.
    const past = await clients[1].ofTeams().get(`/names/past?asOf=${new Date().toISOString()}&scope=project-${id}`);
    expect([past.status, past.body]).toEqual([200, { times: expect.any(Number) }]);
  });

  it('go to the primary while a replica does not replay, which is named and used again once it does', async () => {
    await replicas[0].run('SELECT pg_wal_replay_pause()');
    await leftOutWhile(replicas[0], /left out since 20.*: is more than 1 s behind the primary/);
    await replicas[0].run('SELECT pg_wal_replay_resume()');
    await until(async () => (await replicaHealth(services[0])) === 'ok', 10_000, 'the replica in use again');
    await changeAndRead(4);
  });

  it('do not hang with a replica that is suspended', async () => {
    replicas[0].suspend();
    await leftOutWhile(replicas[0], /left out since 20.*/);
    replicas[0].resume();
    await until(async () => (await replicaHealth(services[0])) === 'ok', 10_000, 'the replica in use again');
    await changeAndRead(4);
  });

  it('leave out a replica that was promoted', async () => {
    await replicas[1].promote();
    await leftOutWhile(replicas[1], /is no standby any more/);
    const env = { DATABASE_URL: primary.url(DATABASE), MASTER_KEY: services[0].masterKey };
    const { out } = await watchledger({ ...env, READ_URL: replicas.map((one) => one.url(DATABASE)).join(',') }, 'doctor', '--json').ran;
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly name: string; readonly found: string }[] };
    const found = findings.flatMap((one) => (one.name.startsWith('read replica') ? [one.found] : []));
    expect(found).toEqual([expect.stringContaining('hot_standby_feedback is off'), 'is no standby: it is left out']);
  });

  it('are all answered by the primary when no replica is left', async () => {
    await replicas[0].kill();
    await leftOutWhile(replicas[0], new RegExp(`:${String(replicas[0].port)}/.*left out since`));
    const before = await readsOf(services[0]);
    await changeAndRead(2);
    await until(async () => ((await readsOf(services[0]))['out'] ?? 0) > (before['out'] ?? 0), 5_000, 'the reads counted');
    expect((await clients[0].ofTeams().get('/names')).body).toMatchObject({ standby: false });
  });

  it('refuse a database of another installation at the start', async () => {
    const other = await createTestDatabase();
    try {
      const { status, err } = await watchledgerProcess(
        '/',
        { DATABASE_URL: primary.url(DATABASE), MASTER_KEY: services[0].masterKey, READ_URL: other.url },
        'start',
      ).ran;
      expect([status, err.trim()]).toEqual([
        1,
        expect.stringMatching(/^(watchledger: )?READ_URL: \S+ is no replica of this installation's database, but another one$/),
      ]);
    } finally {
      await other.drop();
    }
  });
});
