import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { loadConfig } from '../../config.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { examine } from './examine.ts';
import { nodesOf } from './event-store.ts';

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
    for (const name of ['configuration', 'node', 'database', 'schema', 'clock', 'event store'])
      expect(of(name)).toMatchObject({ state: 'ok' });
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

describe('the address of an event store', () => {
  it('names its nodes, whatever else it carries', () => {
    expect(nodesOf('esdb://admin:changeit@a:2113,b,c:2115?tls=false&x=1')).toEqual({
      nodes: ['a:2113', 'b:2113', 'c:2115'],
      scheme: 'http',
    });
    expect(nodesOf('esdb+discover://cluster.example')).toEqual({ nodes: ['cluster.example:2113'], scheme: 'https' });
  });
});
