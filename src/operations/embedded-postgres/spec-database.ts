import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startThrowawayCluster } from './throwaway-cluster.ts';
import { migrate } from '../../app/migration-table.ts';

export interface SpecDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

interface Server {
  /** Without the database name. */
  readonly url: string;
  stop(): Promise<void>;
}

/** A migrated, empty database: on the Postgres of the test run (`TEST_POSTGRES`), else on a temporary one that `drop` stops. */
export async function openSpecDatabase(): Promise<SpecDatabase> {
  const running = process.env['TEST_POSTGRES'];
  const server: Server = running === undefined ? await startThrowawayCluster() : { url: running, stop: () => Promise.resolve() };
  const name = `spec_${randomBytes(8).toString('hex')}`;
  const url = `${server.url}/${name}`;
  await administer(server, `CREATE DATABASE ${name}`);
  await migrate(url);
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => undefined);
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await administer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await server.stop();
    },
  };
}

async function administer({ url }: Server, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${url}/postgres` });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
