import pg from 'pg';
import { migrate } from '../../src/ops/migrations/migrate.ts';
import { startThrowawayCluster, type ThrowawayCluster } from '../../src/ops/embedded/throwaway-cluster.ts';

declare global {
  var testCluster: ThrowawayCluster | undefined;
}

/** One real Postgres for the whole run; each test file clones a migrated template (`createTestDatabase`). */
export default async function globalSetup(): Promise<void> {
  if (globalThis.testCluster) return;
  const cluster = await startThrowawayCluster();
  globalThis.testCluster = cluster;
  const client = new pg.Client({ connectionString: `${cluster.url}/postgres` });
  await client.connect();
  await client.query('CREATE DATABASE watchledger_template');
  await client.end();
  await migrate(`${cluster.url}/watchledger_template`);
  process.env['TEST_POSTGRES'] = cluster.url;
}
