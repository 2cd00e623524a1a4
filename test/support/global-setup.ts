import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { migrate } from '../../src/app/migration-table.ts';
import { coreViews } from '../../src/app/projection-table.ts';
import { viewUnit } from '../../src/platform/read-models/views/unit.ts';
import { ensureViewTables, finishViewTables } from '../../src/platform/read-models/views/view-tables.ts';
import { startReplicatedCluster } from './replicated-cluster.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../src/operations/embedded-postgres/throwaway-cluster.ts';

declare global {
  var testCluster: Pick<ThrowawayCluster, 'url' | 'stop'> | undefined;
}

/**
 * Once per run, for integration and acceptance together: one Postgres with two template databases, which the tests clone (`createTestDatabase`,
 * `createServiceDatabase`). TEST_POSTGRES names a server to use instead, for versions and locales that npm does not bring: an address without a database,
 * of a user who may create databases and roles.
 */
export default async function globalSetup(): Promise<void> {
  if (globalThis.testCluster) return;
  const outside = process.env['TEST_POSTGRES'];
  const start = process.env['TEST_READ_REPLICA'] === undefined ? startThrowawayCluster : startReplicatedCluster;
  const cluster = outside === undefined ? await start() : { url: outside, stop: () => Promise.resolve() };
  globalThis.testCluster = cluster;
  await createTemplate(cluster.url, 'watchledger_template', 'template1', migrate);
  await createTemplate(cluster.url, 'watchledger_service', 'watchledger_template', createReadModels);
  process.env['TEST_POSTGRES'] = cluster.url;
  process.env['TEST_CHROMIUM'] = mkdtempSync(join(tmpdir(), 'watchledger-chromium-'));
  writeApiDescription();
}

async function createTemplate(server: string, name: string, like: string, fill: (url: string) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name}`);
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${like}`);
  await client.end();
  await fill(`${server}/${name}`);
}

async function createReadModels(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  const unit = viewUnit('core', coreViews);
  await ensureViewTables(pool, unit);
  await finishViewTables(pool, unit);
  await pool.end();
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
