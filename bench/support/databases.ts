import pg from 'pg';
import { migrate } from '../../src/app/migration-table.ts';
import { startThrowawayCluster } from '../../src/operations/embedded-postgres/throwaway-cluster.ts';

export interface BenchDatabases {
  /** Migrated and empty; its address. */
  create(): Promise<string>;
  stop(): Promise<void>;
}

/** A Postgres with the settings of the embedded one, including full durability. */
export async function openBenchDatabases(say: (line: string) => void): Promise<BenchDatabases> {
  say('starting a database ...');
  const cluster = await startThrowawayCluster({}, say);
  let count = 0;
  return {
    create: async () => {
      const name = `bench_${String(count++)}`;
      const client = new pg.Client({ connectionString: `${cluster.url}/postgres` });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      await migrate(`${cluster.url}/${name}`);
      return `${cluster.url}/${name}`;
    },
    stop: () => cluster.stop(),
  };
}
