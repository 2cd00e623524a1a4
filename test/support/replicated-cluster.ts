import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ThrowawayCluster } from '../../src/operations/embedded-postgres/throwaway-cluster.ts';
import { PostgresServer } from '../failover/postgres-server.ts';

/** Where `TestService` finds the replica of the run, without the name of a database. */
const REPLICA = 'TEST_READ_REPLICA_URL';

/** The Postgres of a run with TEST_READ_REPLICA: a primary and a streaming standby, which every service reads from. */
export async function startReplicatedCluster(): Promise<Pick<ThrowawayCluster, 'url' | 'stop'>> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-test-'));
  const primary = await PostgresServer.primary(join(folder, 'primary'));
  const standby = await PostgresServer.standbyOf(primary, join(folder, 'standby'), primary.port);
  process.env[REPLICA] = standby.url('').replace(/\/$/, '');
  return {
    url: primary.url('').replace(/\/$/, ''),
    stop: async () => {
      await standby.remove();
      await primary.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The address of a database of the run on its replica; undefined: the run has none, or the database is on another server. */
export function onReplicaOfRun(databaseUrl: string): string | undefined {
  const [server, replica] = [process.env['TEST_POSTGRES'], process.env[REPLICA]];
  if (server === undefined || replica === undefined || !databaseUrl.startsWith(`${server}/`)) return undefined;
  return `${replica}${databaseUrl.slice(server.length)}`;
}
