import type pg from 'pg';
import { DatabaseClient } from '../../platform/postgres/database-client.ts';
import { connectionSettings } from '../../platform/postgres/connection-settings.ts';
import { migrations } from '../../app/migration-table.ts';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { refuseOtherEngine } from '../../platform/log/engine-of-log.ts';
import { BackupRefused } from './frames.ts';
import type { BackupHead } from './backup-head.ts';
import type { KeptTable } from './kept-tables.ts';

const NEVER_USED = 'the database was never used: start the service once first';

/** Runs `work` in a repeatable-read transaction, which sees one snapshot while the service keeps writing, without statement timeouts. The tables are in each of the schemas. */
export async function withSnapshot<T>(
  url: string,
  wanted: readonly KeptTable[],
  work: (client: pg.Client, tables: readonly KeptTable[]) => Promise<T>,
  schemas = new ObservationSchemas(1),
): Promise<T> {
  const client = new DatabaseClient(connectionSettings(url, { name: 'backup', statementTimeoutMs: 0, idleInTransactionMs: 0 }));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const tables = await existingTables(client, wanted, schemas);
    if (tables.length === 0 || (await existingTables(client, ['migrations'])).length === 0) throw new BackupRefused(NEVER_USED);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Before the snapshot: a partition that retention drops later would be missing.
    await client.query(`LOCK TABLE ${namesOf(tables, schemas).join(', ')} IN ACCESS SHARE MODE`);
    const result = await work(client, tables);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The schema of an older version may lack some of them. */
export async function existingTables<Name extends string>(
  client: pg.Client,
  names: readonly Name[],
  schemas = new ObservationSchemas(1),
): Promise<readonly Name[]> {
  // The schemas are migrated together.
  const [first] = schemas.all;
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[], $2::text[]) AS wanted (name, qualified) WHERE to_regclass(qualified) IS NOT NULL',
    [names, names.map((name) => first?.table(name) ?? name)],
  );
  const existing = new Set(rows.map(({ name }) => name));
  return names.filter((name) => existing.has(name));
}

/** The qualified names of the tables in each schema. */
export const namesOf = (tables: readonly string[], schemas: ObservationSchemas): readonly string[] =>
  schemas.all.flatMap((schema) => tables.map((table) => schema.table(table)));

interface Facts {
  readonly seen_at: Date;
  readonly begun_at: Date;
  readonly events: string;
  readonly origin: string | null;
  readonly checkpoint: string | null;
  readonly migrations: readonly string[];
  readonly sample_days: readonly string[];
  readonly run_days: readonly string[];
}

const daysOf = (tables: readonly string[]): string => `
  ARRAY(SELECT DISTINCT to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') AS day FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = ANY ('{${tables.join(', ')}}'::regclass[]) ORDER BY day)`;

const FACTS = `
  SELECT clock_timestamp() AS seen_at, now() AS begun_at, (SELECT coalesce(max(n), -1) + 1 FROM log) AS events,
         (SELECT origin FROM ledger_state) AS origin, (SELECT note FROM ledger_checkpoint ORDER BY number DESC LIMIT 1) AS checkpoint,
         ARRAY(SELECT name::text FROM migrations ORDER BY id) AS migrations,
         ${daysOf(['sample_hour'])} AS sample_days, ${daysOf(['run_hour'])} AS run_days`;

export type GivenHead = Pick<BackupHead, 'part' | 'program' | 'engine' | 'keyId'>;

/** Completes the header with facts from the database. */
export async function readBackupHead(client: pg.Client, given: GivenHead): Promise<BackupHead> {
  await refuseOtherEngine(client, given.engine);
  const { rows } = await client.query<Facts>(FACTS);
  const facts = rows[0];
  if (facts?.origin == null) throw new BackupRefused(NEVER_USED);
  const later = facts.migrations.filter((name) => !migrations.some((migration) => migration.name === name));
  if (later.length > 0)
    throw new BackupRefused(`the schema is newer than this program (${later.join(', ')}): run the backup with the newer program`);
  return {
    ...given,
    origin: facts.origin,
    // The snapshot lies between the two: the earlier one for keys and the later one for data is safe for comparing them.
    takenAt: (given.part === 'keys' ? facts.begun_at : facts.seen_at).toISOString(),
    events: Number(facts.events),
    checkpoint: facts.checkpoint,
    migrations: facts.migrations,
    days: { sample: facts.sample_days, run: facts.run_days },
  };
}

/** The days that have a partition of measurements, of a database of observations alone. */
export async function readDays(client: pg.Client, schemas: ObservationSchemas): Promise<BackupHead['days']> {
  const { rows } = await client.query<Pick<Facts, 'sample_days' | 'run_days'>>(
    `SELECT ${daysOf(namesOf(['sample_hour'], schemas))} AS sample_days, ${daysOf(namesOf(['run_hour'], schemas))} AS run_days`,
  );
  return { sample: rows[0]?.sample_days ?? [], run: rows[0]?.run_days ?? [] };
}

/** In the order of the table, without generated columns. */
export async function storedColumns(client: pg.Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** The planner's estimate, for the progress. */
export async function estimateRows(client: pg.Client, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint AS rows FROM pg_class c
     WHERE c.oid = ANY(SELECT t::regclass::oid FROM unnest($1::text[]) AS t)`,
    [tables],
  );
  return Number(rows[0]?.rows);
}
