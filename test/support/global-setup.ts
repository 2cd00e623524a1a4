import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/migrations/migrate.ts';
import { startReplicatedCluster } from './replicated-cluster.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../src/embedded-postgres/throwaway-cluster.ts';

declare global {
  var testCluster: Pick<ThrowawayCluster, 'url' | 'stop'> | undefined;
}

/**
 * Once per run, for integration and acceptance together: one Postgres with a migrated template database, which each test file clones
 * (`createTestDatabase`). TEST_POSTGRES names a server to use instead, for versions and locales that npm does not bring: an address without a database,
 * of a user who may create databases and roles.
 */
export default async function globalSetup(): Promise<void> {
  if (globalThis.testCluster) return;
  const outside = process.env['TEST_POSTGRES'];
  const start = process.env['TEST_READ_REPLICA'] === undefined ? startThrowawayCluster : startReplicatedCluster;
  const cluster = outside === undefined ? await start() : { url: outside, stop: () => Promise.resolve() };
  globalThis.testCluster = cluster;
  const client = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await client.connect();
  await client.query('DROP DATABASE IF EXISTS watchledger_template');
  await client.query('CREATE DATABASE watchledger_template');
  await client.end();
  await migrate(`${cluster.url}/watchledger_template`);
  process.env['TEST_POSTGRES'] = cluster.url;
  process.env['TEST_CHROMIUM'] = mkdtempSync(join(tmpdir(), 'watchledger-chromium-'));
  writeApiDescription();
}

/** For `test/support/description.ts`. Without a build there are no services whose answers could be compared. */
function writeApiDescription(): void {
  const built = resolve(import.meta.dirname, '../../dist/describe-api.js');
  if (!existsSync(built)) return;
  const program = `import { describeApi } from ${JSON.stringify(built)}; process.stdout.write(JSON.stringify(describeApi('1')));`;
  const file = join(mkdtempSync(join(tmpdir(), 'watchledger-description-')), 'openapi.json');
  writeFileSync(file, execFileSync(process.execPath, ['--input-type=module', '-e', program], { maxBuffer: 64 << 20 }));
  process.env['TEST_API_DESCRIPTION'] = file;
}
