import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { clientClass, DatabaseClient, DatabaseHosts } from '../database-client.ts';
import { ADVISORY_LOCKS } from '../advisory-locks.ts';

/** Statements that are one transaction. The name ends with 13 digits, by which TypeORM orders them. */
export interface Migration {
  readonly name: string;
  readonly sql: string;
}

const TABLE = 'migrations';
const LOCK_POLL_MS = 100;

/** Waiting for another instance, or an index over a long log, takes longer than the limits that an operator sets for a role or a database. */
const UNLIMITED = { statement_timeout: '0', lock_timeout: '0', idle_session_timeout: '0', idle_in_transaction_session_timeout: '0' };

type Session = Readonly<Record<string, string>>;

/**
 * Brings the database to the schema of this version and answers the migrations that it ran; forward only. `names` limits it to those of a
 * backup of an older version. TypeORM runs the migrations; what it lacks is the lock between instances and the refusal of a later schema
 * (docs/decisions/typeorm.md). `schema`: another one than that of the connection.
 */
export async function runMigrations(
  url: string,
  set: readonly Migration[],
  names?: readonly string[],
  schema: string | null = null,
): Promise<readonly string[]> {
  const wanted = names === undefined ? set : set.filter(({ name }) => names.includes(name));
  const session = { ...UNLIMITED, ...(schema !== null && { search_path: schema }) };
  return withClient(url, session, async (client) => {
    await lockMigrations(client);
    const applied = await appliedMigrations(client);
    refuseLater(applied, wanted, set);
    return wanted.every(({ name }) => applied.includes(name)) ? [] : await runPending(url, session, wanted);
  });
}

/**
 * Polls for the lock: a session that waits for it in one statement has an open snapshot, and a migration that builds an index concurrently
 * waits for all of those. Each would wait for the other.
 */
async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [ADVISORY_LOCKS.migrations]);
    if (rows[0]?.locked === true) return;
    await sleep(LOCK_POLL_MS);
  }
}

/** For commands beside a running service, which do not migrate: refuses the schema of a later version. */
export async function refuseLaterSchema(url: string, set: readonly Migration[]): Promise<void> {
  await withClient(url, UNLIMITED, async (client) => {
    refuseLater(await appliedMigrations(client), set, set);
  });
}

async function withClient<Result>(url: string, session: Session, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  // A connection that breaks between two queries fails the next one.
  const client = new DatabaseClient({ connectionString: url, session }).on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Nearly every start has nothing to migrate; this query costs a fraction of loading TypeORM. */
async function appliedMigrations(client: pg.Client): Promise<readonly string[]> {
  const { rows: tables } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [TABLE]);
  if (tables[0]?.exists !== true) return [];
  const { rows } = await client.query<{ name: string }>(`SELECT name FROM ${TABLE} ORDER BY id`);
  return rows.map(({ name }) => name);
}

/** This version would not maintain what a later one added to the schema. */
function refuseLater(applied: readonly string[], wanted: readonly Migration[], set: readonly Migration[]): void {
  const later = applied.filter((name) => !wanted.some((migration) => migration.name === name));
  if (later.length === 0) return;
  const areKnown = later.every((name) => set.some((migration) => migration.name === name));
  throw new StartRefused(
    areKnown
      ? `the schema of the database is newer than the backup (${later.join(', ')}): restore into an empty database`
      : `the schema of the database is newer than this program (${later.join(', ')}): start the version that created it, or a later one`,
  );
}

async function runPending(url: string, session: Session, wanted: readonly Migration[]): Promise<readonly string[]> {
  const { DataSource } = await import('typeorm');
  const source = new DataSource({
    type: 'postgres',
    url: DatabaseHosts.of(url).current,
    migrations: wanted.map(toTypeOrm),
    migrationsTableName: TABLE,
    poolSize: 2,
    extra: { ...clientClass(DatabaseClient), session },
  });
  try {
    await source.initialize();
    const applied = await source.runMigrations({ transaction: 'each' });
    return applied.map(({ name }) => name);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

const toTypeOrm = ({ name, sql }: Migration): new () => MigrationInterface =>
  class {
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(sql);
    }

    async down(): Promise<void> {
      await Promise.reject(new Error('migrations are forward only'));
    }
  };
