import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrateObservations } from '../../src/platform/postgres/migrations/observation-migrations.ts';
import { type ObservationPool, ObservationSchemas } from '../../src/platform/observations/schemas.ts';

/** For the report of a run (.ci/jest/measured.mjs). */
const started = ((globalThis as { testStarted?: { databases: number } }).testStarted ??= { databases: 0 });

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  drop(): Promise<void>;
}

/** A migrated, empty database for one test file, cloned from the template. */
export const createTestDatabase = (): Promise<TestDatabase> => create(testServer(), 'TEMPLATE watchledger_template STRATEGY FILE_COPY');

/** As a service leaves it at its first start: with the tables of its read models, still empty. */
export const createServiceDatabase = (): Promise<TestDatabase> => create(testServer(), 'TEMPLATE watchledger_service STRATEGY FILE_COPY');

/** The tables to which migrations add rows stay as they are. */
const EMPTIED = `DO $$ DECLARE statement text; BEGIN
  FOR statement IN
    SELECT format('DROP SCHEMA %I CASCADE', nspname) FROM pg_namespace WHERE nspname !~ '^(pg_.*|information_schema|public)$'
    UNION ALL
    SELECT format('TRUNCATE %s RESTART IDENTITY CASCADE', string_agg(oid::regclass::text, ', ')) FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 0
      AND relname NOT IN ('migrations', 'wake_channel', 'idempotency') HAVING count(*) > 0
  LOOP EXECUTE statement; END LOOP;
END $$`;

/** For the next test of a file: leaves what the migrations created, drops other schemas, and truncates the tables that have rows. */
export async function emptied({ pool }: TestDatabase): Promise<void> {
  await pool.query(EMPTIED);
}

/** A database without tables. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create(testServer(), 'TEMPLATE template0 STRATEGY FILE_COPY');

export interface ObservationDatabase extends TestDatabase {
  readonly pool: ObservationPool;
  /** Empties the tables in each schema. */
  truncate(...tables: readonly string[]): Promise<void>;
}

/**
 * A database with the tables of observations alone, as `OBSERVATIONS_URL` names one: no statement of theirs may need another table. TEST_OBSERVATIONS_URL
 * names another server, as TEST_POSTGRES does, on which it is created. TEST_OBSERVATIONS_PREPARE is a command that is run with the name of the new database
 * and `created`, then again with `migrated` and its schemas: for a cluster, whose nodes must know them.
 */
export async function createObservationDatabase(count = 1): Promise<ObservationDatabase> {
  const schemas = new ObservationSchemas(count);
  const database = await create(process.env['TEST_OBSERVATIONS_URL'] ?? testServer(), 'TEMPLATE template0');
  prepare(database, 'created');
  await migrateObservations(database.url, schemas);
  prepare(database, 'migrated', ...schemas.all.flatMap(({ name }) => name ?? []));
  const pool = Object.assign(database.pool, { schemas });
  return {
    ...database,
    pool,
    truncate: async (...tables) => {
      for (const schema of schemas.all) await pool.query(`TRUNCATE ${tables.map((table) => schema.table(table)).join(', ')}`);
    },
  };
}

function prepare({ url }: TestDatabase, ...given: readonly string[]): void {
  const command = process.env['TEST_OBSERVATIONS_PREPARE'];
  if (command !== undefined) execFileSync(command, [url.slice(url.lastIndexOf('/') + 1), ...given], { stdio: 'pipe' });
}

function testServer(): string {
  const server = process.env['TEST_POSTGRES'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES is not set: run this test in the integration or acceptance project, which have the global set-up');
  return server;
}

async function create(server: string, like: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await admin(server, `CREATE DATABASE ${name} ${like}`);
  started.databases++;
  const url = `${server}/${name}`;
  const pool = new pg.Pool({ connectionString: url, max: 20, allowExitOnIdle: true });
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
