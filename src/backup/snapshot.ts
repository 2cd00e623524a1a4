import pg from 'pg';
import { connectionSettings } from '../persistence/pool.ts';
import { migrations } from '../migrations/migration-table.ts';
import { refuseOtherEngine } from '../log/engine-of-log.ts';
import { BackupRefused } from './backup-refused.ts';
import type { BackupHead } from './backup-head.ts';
import { type KeptTable, type Part, tablesOf } from './kept-tables.ts';

const NEVER_USED = 'the database was never used: start the service once first';

/** A connection that may take its time, in a transaction that sees one instant, whatever is written meanwhile. */
export async function withSnapshot<T>(
  url: string,
  part: Part,
  work: (client: pg.Client, tables: readonly KeptTable[]) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...connectionSettings(url, { name: 'backup', statementTimeoutMs: 0 }),
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const tables = await tablesThere(client, tablesOf(part));
    if (tables.length === 0 || (await tablesThere(client, ['migrations'])).length === 0) throw new BackupRefused(NEVER_USED);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Before the first look: a partition that retention takes away meanwhile would be missing.
    await client.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS SHARE MODE`);
    const result = await work(client, tables);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** An older version may have left a database that does not have all of them. */
export async function tablesThere<Name extends string>(client: pg.Client, names: readonly Name[]): Promise<readonly Name[]> {
  const { rows } = await client.query<{ name: string }>('SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NOT NULL', [
    names,
  ]);
  const there = new Set(rows.map(({ name }) => name));
  return names.filter((name) => there.has(name));
}

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

const daysOf = (table: string): string => `
  ARRAY(SELECT to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = '${table}'::regclass ORDER BY c.relname)`;

const FACTS = `
  SELECT clock_timestamp() AS seen_at, now() AS begun_at, (SELECT coalesce(max(n), -1) + 1 FROM log) AS events,
         (SELECT origin FROM ledger_state) AS origin, (SELECT note FROM ledger_checkpoint ORDER BY number DESC LIMIT 1) AS checkpoint,
         ARRAY(SELECT name::text FROM migrations ORDER BY id) AS migrations,
         ${daysOf('sample_hour')} AS sample_days, ${daysOf('run_hour')} AS run_days`;

export type Told = Pick<BackupHead, 'part' | 'program' | 'engine' | 'keyId'>;

export async function describe(client: pg.Client, told: Told): Promise<BackupHead> {
  await refuseOtherEngine(client, told.engine);
  const { rows } = await client.query<Facts>(FACTS);
  const facts = rows[0];
  if (facts?.origin == null) throw new BackupRefused(NEVER_USED);
  const later = facts.migrations.filter((name) => !migrations.some((migration) => migration.name === name));
  if (later.length > 0)
    throw new BackupRefused(`the schema is newer than this program (${later.join(', ')}): what it added would be missing`);
  return {
    ...told,
    origin: facts.origin,
    // What is seen lies between the two: keys count from the earlier, data from the later.
    takenAt: (told.part === 'keys' ? facts.begun_at : facts.seen_at).toISOString(),
    events: Number(facts.events),
    checkpoint: facts.checkpoint,
    migrations: facts.migrations,
    days: { sample: facts.sample_days, run: facts.run_days },
  };
}

/** In the order of the table; what the database computes is left to it. */
export async function columnsOf(client: pg.Client, table: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** About how many there are, for the progress. */
export async function estimateRows(client: pg.Client, tables: readonly string[]): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::bigint AS rows FROM pg_class c
     WHERE c.oid = ANY(SELECT t::regclass::oid FROM unnest($1::text[]) AS t)`,
    [tables],
  );
  return Number(rows[0]?.rows);
}
