import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadConfig } from '../../platform/config/config.ts';
import { runMigrations } from '../../platform/postgres/migrations/migrate.ts';
import { observationMigrations } from '../../platform/postgres/migrations/observation-migrations.ts';
import { FolderBodies } from '../../platform/observations/pages/open-page-bodies.ts';
import { KeptPages } from '../../platform/observations/pages/kept-pages.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { KurrentDbDouble } from '../../../test/support/kurrentdb-double/kurrentdb-double.ts';
import { makeAuthority, makeIdentity } from '../../../test/support/servers/certificates.ts';
import { CLIENT, LoginProvider } from '../../../test/support/servers/login-provider.ts';
import { startHttps } from '../../../test/support/servers/site.ts';
import { examine } from './examine.ts';
import { holdsSignIn } from './imported-keys.ts';
import { examineEventStore, nodesOf } from './event-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const look = async (env: Record<string, string> = {}) => {
  const all = { DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32), DATA_DIR: tmpdir(), ...env };
  const findings = await examine(
    () => loadConfig(all, tmpdir()),
    () => undefined,
  );
  return (name: string) => findings.find((finding) => finding.name === name);
};

describe('doctor', () => {
  it('is content with a database of this version, whose clock agrees', async () => {
    const of = await look();
    for (const name of ['configuration', 'node', 'database', 'schema', 'clock', 'writes', 'event store'])
      expect(of(name)).toMatchObject({ state: 'ok' });
  });

  it('measures the write-ahead log, and advises settings where much is written', async () => {
    await database.pool.query("SELECT pg_stat_reset_shared('wal')");
    const client = await database.pool.connect();
    await client.query('CREATE TABLE much AS SELECT repeat(md5(n::text), 20) AS text FROM generate_series(1, 50000) AS n');
    await client.query('SELECT pg_stat_force_next_flush()');
    client.release();
    expect((await look())('write-ahead log')).toMatchObject({ state: 'warn', advice: expect.stringContaining('wal_compression = on') });
    await database.pool.query('DROP TABLE much');
  });

  it('examines a database of the observations alone', async () => {
    const apart = await createEmptyDatabase();
    await runMigrations(apart.url, observationMigrations);
    const of = await look({ OBSERVATIONS_URL: apart.url });
    for (const name of ['database', 'schema', 'clock', 'kept pages']) expect(of(`observations: ${name}`)).toMatchObject({ state: 'ok' });
    expect(of('kept pages')).toBeUndefined();
    await apart.drop();
    const away = await look({ OBSERVATIONS_URL: 'postgres://u:hunter2@127.0.0.1:1/w' });
    expect(away('observations: database')).toMatchObject({ state: 'fail', advice: expect.stringContaining('OBSERVATIONS_URL') });
  });

  it('counts pages whose bodies are outside, and says whether their place takes them', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'watchledger-doctor-pages-'));
    await new KeptPages(database.pool, new FolderBodies(folder)).keep('a1'.repeat(12), Buffer.from('a page'));
    const of = await look({ KEPT_PAGES: pathToFileURL(folder).href });
    expect(of('kept pages')).toMatchObject({ state: 'ok', found: expect.stringContaining('a page is kept for ') });
    expect(of('KEPT_PAGES')).toMatchObject({ state: 'ok' });
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    expect((await look({ KEPT_PAGES: pathToFileURL(folder).href }))('KEPT_PAGES')).toMatchObject({ state: 'fail' });
    await rm(folder);
  });

  it('says that the database cannot be reached, and what to look at', async () => {
    const of = await look({ DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/w' });
    expect(of('database')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('ECONNREFUSED'),
      advice: expect.stringContaining('DATABASE_URL'),
    });
    expect(JSON.stringify(of('database'))).not.toContain('hunter2');
  });

  it('says that the schema is of a later version', async () => {
    await database.pool.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture9999999999999')`);
    expect((await look())('schema')).toMatchObject({ state: 'fail', found: 'newer than this program' });
    await database.pool.query(`DELETE FROM migrations WHERE timestamp = 9999999999999`);
  });

  it('states why the database takes no write, and what to do', async () => {
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name');
    const name = rows[0]?.name ?? '';
    await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    const found = (await look())('writes');
    await database.pool.query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`);
    expect(found).toMatchObject({ state: 'fail', found: expect.stringContaining('read-only'), advice: expect.stringContaining('primary') });
  });

  it('names the projects whose keys an import made from an address with a password, and no key', async () => {
    const { pool } = database;
    await pool.query(`INSERT INTO projection (name, version, state, schema) VALUES ('core', 1, 'live', 'core_test')`);
    await pool.query('CREATE SCHEMA core_test');
    for (const table of ['account', '"check"', 'area', 'project']) await pool.query(`CREATE TABLE core_test.${table} (key text, doc json)`);
    const put = (table: string, key: string, doc: object) =>
      pool.query(`INSERT INTO core_test.${table} VALUES ($1, $2)`, [key, JSON.stringify(doc)]);
    for (const [id, key] of [
      ['p1', 'import:urls:https-ann-s3cret-shop.example-x-a7ecc022'],
      ['p2', 'import:urls:https-shop.example-x-a7ecc022'],
      ['p3', 'import:blackbox:shop-http_2xx-https-ann-s3cret-shop.example-a7ecc022'],
      ['p4', 'shop'],
    ] as const) {
      await put('project', id, { settings: { title: `Shop ${id}`, url: 'https://shop.example' } });
      await put('"check"', id, { projectId: id, settings: { key } });
    }
    const found = (await look())('imported keys');
    expect(found).toMatchObject({ state: 'warn', found: 'keys of checks hold the password of an address in Shop p1 (p1), Shop p3 (p3)' });
    expect(JSON.stringify(found)).not.toContain('s3cret');
    await pool.query(`DELETE FROM core_test."check" WHERE key IN ('p1', 'p3')`);
    expect((await look())('imported keys')).toBeUndefined();
    await pool.query(`DROP SCHEMA core_test CASCADE; DELETE FROM projection WHERE name = 'core'`);
  });

  it.each([
    ['import:urls:https-ann-s3cret-shop.example-8080-x-a7ecc022', 'https://shop.example:8080', true],
    [`import:urls:https-ann-${'s'.repeat(87)}-a7ecc022`, 'https://shop.example', true],
    ['import:urls:https-old.example-x-a7ecc022', 'https://shop.example', false],
    ['import:urls:https-shop.example-shop.example-a7ecc022', 'https://shop.example', false],
    ['import:gatus:front-page', 'https://shop.example', false],
  ])('knows of %s at %s whether it holds a sign-in: %s', (key, url, holds) => {
    expect(holdsSignIn(key, url)).toBe(holds);
  });

  it('asks each node of the event store for its health', async () => {
    const server = createServer((request, response) => {
      response.statusCode = request.url === '/health/live' ? 204 : 500;
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    expect((await look({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` }))('event store')).toMatchObject({ state: 'ok' });
    server.close();
    expect((await look({ EVENTSTORE_URL: `esdb://127.0.0.1:${port}?tls=false` }))('event store')).toMatchObject({ state: 'fail' });
  });
});

describe('doctor, of an event store', () => {
  it('trusts the authority that the address names', async () => {
    const authority = makeAuthority();
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    const file = join(folder, 'own ca.crt');
    writeFileSync(file, authority.cert);
    const site = await startHttps(makeIdentity({ hosts: ['127.0.0.1'] }, authority), (_, response) => {
      response.statusCode = 204;
      response.end();
    });
    const url = `esdb://127.0.0.1:${String(site.port)}`;
    expect((await look({ EVENTSTORE_URL: url }))('event store')).toMatchObject({
      state: 'fail',
      advice: expect.stringContaining('tlsCAFile'),
    });
    const named = `${url}?tlsCAFile=${encodeURIComponent(file)}`;
    expect((await look({ EVENTSTORE_URL: named }))('event store')).toMatchObject({ state: 'ok' });
    await site.close();
    rmSync(folder, { recursive: true });
  });

  it('says whether it lets us in', async () => {
    const double = await KurrentDbDouble.start();
    const found = async (): Promise<readonly string[]> =>
      (await examineEventStore(loadConfig({ EVENTSTORE_URL: double.url }, tmpdir()))).map((finding) => finding.found);
    expect(await found()).toContain('lets us read');
    double.faults.refusal = 'unknown user';
    expect(await found()).toContain('cannot be read: 16 UNAUTHENTICATED: Unauthenticated');
    await double.stop();
  });
});

describe('doctor, of a sign-in provider', () => {
  it('says whether it answers as the issuer that is configured, and what to look at', async () => {
    const publicUrl = 'http://127.0.0.1:8080';
    const redirect = `${publicUrl}/api/authenticate/provider/callback`;
    const provider = await LoginProvider.start(redirect);
    const client = { OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret, PUBLIC_URL: publicUrl };
    const found = async (env: Record<string, string> = {}) =>
      (await look({ OIDC_ISSUER: provider.issuer, ...client, ...env }))('sign-in provider');
    expect((await look())('sign-in provider')).toBeUndefined();
    expect(await found()).toMatchObject({ state: 'ok', found: expect.stringContaining(redirect) });
    const otherName = provider.issuer.replace('127.0.0.1', 'localhost');
    expect(await found({ OIDC_ISSUER: otherName })).toMatchObject({ state: 'fail', advice: expect.stringContaining('exactly') });
    provider.stop();
    expect(await found()).toMatchObject({ state: 'fail', found: expect.stringContaining(provider.issuer) });
    await provider.close();
    expect(await found()).toMatchObject({ state: 'fail', found: expect.stringContaining(provider.issuer) });
  });
});

describe('the address of an event store', () => {
  it('names its nodes, whatever else it carries', () => {
    expect(nodesOf('esdb://admin:changeit@a:2113,b,c:2115?tls=false&x=1')).toEqual({
      nodes: ['a:2113', 'b:2113', 'c:2115'],
      scheme: 'http',
      authority: null,
    });
    expect(nodesOf('esdb+discover://cluster.example?tlsCAFile=/own/ca.crt')).toEqual({
      nodes: ['cluster.example:2113'],
      scheme: 'https',
      authority: '/own/ca.crt',
    });
  });
});
