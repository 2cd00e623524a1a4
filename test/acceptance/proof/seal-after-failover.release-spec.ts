import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { ApiClient } from '../../support/api-client.ts';
import { type Ran, watchledgerIn } from '../../support/command-line.ts';
import { onEmbedded } from '../../support/embedded-engine.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: TestService;
let witness: Server;
let folder: string;
let env: Readonly<Record<string, string>>;
let admin: ApiClient;
let projectId: string;
let title = 0;
/** Every checkpoint that the witness received. */
const notes: string[] = [];

const sizeOf = (note: string): number => Number(note.split('\n')[1]);
const watchledger = (...args: readonly string[]): Promise<Ran> =>
  watchledgerIn(folder, { ...env, DATABASE_URL: service.database.url, MASTER_KEY: service.masterKey }, ...args).ran;
const head = async (): Promise<number> =>
  Number((await service.database.pool.query<{ size: string }>('SELECT count(*) AS size FROM log')).rows[0]?.size);
const rename = (): Promise<boolean> =>
  admin.put(`/project/${projectId}`, { title: `Title ${String(title++)}` }).then(({ status }) => status === 200);
const witnessed = (size: number): Promise<unknown> => until(() => Promise.resolve(notes.some((note) => sizeOf(note) === size)), 30_000);
const sealPart = async (url = service.url): Promise<string> =>
  ((await (await fetch(`${url}/health/ready`)).json()) as { parts: Record<string, string> }).parts['seal'] ?? 'none';

/** Without connections, as the statements need it; the service reconnects by itself. */
async function withoutConnections(names: readonly string[], statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: `${process.env['TEST_POSTGRES'] ?? ''}/postgres` });
  await client.connect();
  for (const name of names) await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  for (const statement of statements) {
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ANY($1)', [names]);
    await until(async () => (await client.query('SELECT FROM pg_stat_activity WHERE datname = ANY($1)', [names])).rowCount === 0, 10_000);
    await client.query(statement);
  }
  await client.query(`ALTER DATABASE ${names[0] ?? ''} ALLOW_CONNECTIONS true`);
  await client.end();
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-failover-'));
  witness = createServer((request, response) => {
    if (request.method === 'GET') return void response.writeHead(notes.length > 0 ? 200 : 404).end(notes.at(-1));
    let note = '';
    request.on('data', (chunk: Buffer) => (note += chunk.toString()));
    request.on('end', () => {
      if (!notes.includes(note)) notes.push(note);
      response.writeHead(200).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => witness.once('listening', listening));
  const url = `http://127.0.0.1:${String((witness.address() as AddressInfo).port)}/`;
  // Without a checker: only the test appends.
  env = { CHECKPOINT_URL: url, ALLOW_TARGETS: '127.0.0.0/8', RATE_LIMIT: '0', ROLES: 'api,projector,reactor' };
  service = await TestService.start({ env });
  admin = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
  projectId = (await admin.post('/project/create', { url: 'http://127.0.0.1:8099', checkInterval: 'false' })).body.id;
});
afterAll(async () => {
  await service.stop();
  witness.close();
  await rm(folder, { recursive: true, force: true });
});

/** With an event store nothing is taken back: the mirror fills the log with the same events. */
onEmbedded('a failover that takes back events under a checkpoint that a witness has', () => {
  let signed: number;
  let lost: string;

  it('ends with no second checkpoint of the same size', async () => {
    const name = new URL(service.database.url).pathname.slice(1);
    await witnessed(await head());
    await withoutConnections([name], [`CREATE DATABASE ${name}_standby TEMPLATE ${name}`]);
    for (let count = 0; count < 5; count++) await until(rename, 30_000);
    signed = await head();
    await witnessed(signed);
    lost = notes.find((note) => sizeOf(note) === signed) ?? '';
    await withoutConnections(
      [name, `${name}_standby`],
      [`ALTER DATABASE ${name} RENAME TO ${name}_lost`, `ALTER DATABASE ${name}_standby RENAME TO ${name}`],
    );
    while ((await head()) < signed + 3) await until(rename, 60_000);
    await until(async () => (await sealPart()).includes('the events of this database are others'), 30_000);
    expect(notes.map(sizeOf).filter((size) => size >= signed)).toEqual([signed]);
  });

  it('is in readiness, metrics, status and verification', async () => {
    expect(await sealPart()).toContain(`nothing is sealed: a checkpoint over ${String(signed)} events`);
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain('watchledger_seal_stopped 1');
    expect(await watchledger('seal', 'status')).toMatchObject({
      status: 1,
      out: expect.stringContaining(`STOPPED: a checkpoint over ${String(signed)}`),
    });
    expect(await watchledger('verify')).toMatchObject({ status: 1, out: expect.stringContaining('NOT INTACT') });
  });

  it('is learnt from the witness by another instance', async () => {
    await service.kill();
    await service.database.pool.query('DELETE FROM ledger_evidence');
    await service.database.pool.query('UPDATE ledger_state SET stopped = NULL');
    service = await TestService.start({ beside: service, env });
    await until(async () => (await sealPart()).includes('it is known from the witness'), 60_000);
    expect(notes.map(sizeOf).filter((size) => size >= signed)).toEqual([signed]);
  });

  it('is declared with the kept checkpoint, and sealing continues', async () => {
    const file = join(folder, 'kept.txt');
    await writeFile(file, lost);
    admin = await new ApiClient(service.url).signIn(ADMIN.email, ADMIN.password);
    expect(await watchledger('seal', 'declare-truncated', '--checkpoint', file, '--yes', '--reason', 'failover')).toMatchObject({
      status: 0,
    });
    await until(async () => (await sealPart()) === 'ok', 30_000);
    await witnessed(await head());
    expect(notes.map(sizeOf).filter((size) => size === signed)).toEqual([signed]);
    expect(await watchledger('seal', 'declare-truncated', '--checkpoint', file, '--yes')).toMatchObject({
      status: 0,
      out: expect.stringContaining('Nothing is lost'),
    });
    expect(await watchledger('verify', '--checkpoint', file)).toMatchObject({ status: 0, out: expect.stringContaining('declared lost') });
  });

  it('ends the origin, and the former key leads to the next one', async () => {
    interface Listed {
      readonly origins: readonly { origin: string; keys: string[]; checkpoint: string; end: string | null }[];
    }
    const [second, first] = ((await admin.as(null).get('/ledger/origins')).body as unknown as Listed).origins;
    expect([second?.origin, second?.end, first?.checkpoint]).toEqual([`${first?.origin ?? ''}/2`, null, lost]);
    const [former = '', next = ''] = [first?.keys[0], second?.keys[0]];
    const file = join(folder, 'end.note');
    await writeFile(file, first?.end ?? '');
    expect(await watchledger('verify', file, '--key', former)).toMatchObject({
      status: 0,
      out: expect.stringContaining(`the log continues as ${String(second?.origin)}. Its last checkpoint is over ${String(signed)} events`),
    });
    await writeFile(file, (first?.end ?? '').replace('"reason":"failover"', '"reason":"Failover"'));
    expect(await watchledger('verify', file, '--key', `${former},${next}`)).toMatchObject({ status: 1 });
    expect((await admin.as(null).get('/ledger/key')).text).toBe(`${next}\n${former}\n`);
    expect((await watchledger('seal', 'status')).out).toContain(`${String(second?.origin)}: `);
    expect((await watchledger('doctor')).out).toContain(`the log continues as ${String(second?.origin)}`);
    // The tiles have an address of their own, as the name of the origin says.
    const tile = (path: string): Promise<Response> => fetch(`${service.url}/api/ledger/${path}`);
    const [own, shared] = [await tile('2/tile/0/000.p/1'), await tile('tile/0/000.p/1')];
    expect([own.status, own.headers.get('cache-control'), shared.headers.get('cache-control')]).toEqual([
      200,
      expect.stringContaining('immutable'),
      'no-cache',
    ]);
    expect((await tile('2/checkpoint')).status).toBe(200);
    for (const path of ['1/checkpoint', '3/checkpoint', '2.0/checkpoint', '3/tile/0/000.p/1']) expect((await tile(path)).status).toBe(404);
  });
});
