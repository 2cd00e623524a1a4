import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

/** A migrated, empty database for one test file, cloned from the template. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES is not set: run this test in the integration or acceptance project, which have the global set-up');
  const name = `t_${randomBytes(8).toString('hex')}`;
  await admin(server, `CREATE DATABASE ${name} TEMPLATE watchledger_template STRATEGY FILE_COPY`);
  const url = `${server}/${name}`;
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  pool.on('error', () => undefined);
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await admin(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Statements that touch the template wait for each other. */
async function admin(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(7)');
    await client.query(statement);
  } finally {
    await client.end();
  }
}
