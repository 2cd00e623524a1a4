import pg from 'pg';
import { migrate } from '../../src/migrations/migrate.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../src/embedded-postgres/throwaway-cluster.ts';

declare global {
  var testCluster: Pick<ThrowawayCluster, 'url' | 'stop'> | undefined;
}

/**
 * One real Postgres for the whole run: its own, or the server of TEST_POSTGRES (an address without a database, of a user who may make databases and roles),
 * for versions and locales that npm does not bring. Each test file clones a migrated template (`createTestDatabase`).
 */
export default async function globalSetup(): Promise<void> {
  if (globalThis.testCluster) return;
  const outside = process.env['TEST_POSTGRES'];
  const cluster = outside === undefined ? await startThrowawayCluster() : { url: outside, stop: () => Promise.resolve() };
  globalThis.testCluster = cluster;
  const client = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await client.connect();
  await client.query('DROP DATABASE IF EXISTS watchledger_template');
  await client.query('CREATE DATABASE watchledger_template');
  await client.end();
  await migrate(`${cluster.url}/watchledger_template`);
  process.env['TEST_POSTGRES'] = cluster.url;
}
