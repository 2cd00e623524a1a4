import pg from 'pg';
import { copyIn } from '../../platform/postgres/copy.ts';
import { clientClass, DatabaseClient } from '../../platform/postgres/database-client.ts';
import { forgetKeysBefore } from '../../platform/http/idempotency/idempotency-store.ts';
import { connectionSettings } from '../../platform/postgres/connection-settings.ts';
import { claimObservations } from '../../platform/observations/observation-claim.ts';
import { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import { migrate } from '../../app/migration-table.ts';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { migrateObservations } from '../../platform/postgres/migrations/observation-migrations.ts';
import { BackupRefused } from './frames.ts';
import type { BackupHead } from './backup-head.ts';
import { declareLost } from './lost-since.ts';
import { type KeptTable, tablesOf } from './kept-tables.ts';
import { readTables } from './read-backup.ts';
import type { Restored, RestoreOrder } from './restore-order.ts';
import { existingTables, namesOf, storedColumns } from './snapshot.ts';
import { mayRepeatRows, spreadRows } from './spread-rows.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** A transaction in a database that is restored, and the tables that it takes. */
interface Target {
  readonly client: pg.Client;
  readonly tables: readonly KeptTable[];
  readonly schemas: ObservationSchemas;
}

/**
 * Restores all or nothing, into an unused installation only: migrates to the schema of the backup, fills it, then migrates to this version. Of two databases
 * that of the observations commits first: without events nothing shows them, and a further attempt refuses to write beside them.
 */
export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { url, observationsUrl, schemas = new ObservationSchemas(1), data } = order;
  await migrate(url, data.head.migrations);
  if (observationsUrl !== undefined) await migrateObservations(observationsUrl, schemas, data.head.migrations);
  await makePartitions(observationsUrl ?? url, schemas, data.head);
  const client = await connected(url);
  const other = observationsUrl === undefined ? null : await connected(observationsUrl);
  try {
    const log = { client, tables: tablesToFill(other === null ? 'one database' : 'log'), schemas: new ObservationSchemas(1) };
    const targets = other === null ? [log] : [log, { client: other, tables: tablesToFill('observations'), schemas }];
    for (const target of targets) await begin(target);
    if (other !== null) await claimObservations(other, data.head.origin);
    const rows = { ...(await fill(targets, order, 'data')), ...(await fill(targets, order, 'keys')) };
    if (data.head.engine === 'postgres') {
      await refuseUnknownAccounts(client, order.erased);
      await deleteUnknownSubjects(client);
    }
    await forgetKeysBefore(client);
    const erasing = await eraseAgain(client, order.erased);
    const lost = data.head.engine === 'postgres' ? await declareLost(client, order) : null;
    order.signal.throwIfAborted();
    for (const target of targets.toReversed()) await target.client.query('COMMIT');
    for (const target of targets) await target.client.query('ANALYZE');
    await migrate(url);
    if (observationsUrl !== undefined) await migrateObservations(observationsUrl, schemas);
    return { events: data.head.events, rows, lost, erasing };
  } finally {
    // Closing a connection rolls back.
    await client.end().catch(() => undefined);
    await other?.end().catch(() => undefined);
  }
}

const tablesToFill = (place: 'one database' | 'log' | 'observations'): readonly KeptTable[] => [
  ...tablesOf('data', place),
  ...(place === 'observations' ? [] : tablesOf('keys')),
];

async function connected(url: string): Promise<pg.Client> {
  const client = new DatabaseClient(connectionSettings(url, { name: 'restore', statementTimeoutMs: 0, idleInTransactionMs: 0 }));
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** The locks hold until the commit: a service that starts during the restore waits. */
async function begin({ client, tables: wanted, schemas }: Target): Promise<void> {
  await client.query('BEGIN');
  const tables = namesOf(await existingTables(client, wanted, schemas), schemas);
  await client.query(`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  for (const table of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount !== 0) throw new BackupRefused(`restoring needs an unused installation: the table ${table} is not empty`);
  }
}

async function fill(targets: readonly Target[], order: RestoreOrder, part: 'data' | 'keys'): Promise<Record<string, number>> {
  const filled: Record<string, number> = {};
  const { path } = order[part];
  const progress = (bytes: number): void => {
    order.signal.throwIfAborted();
    if (part === 'data') order.progress(bytes);
  };
  for await (const { table, columns, pieces, rows } of readTables(path, order.master, progress)) {
    const target = targets.find(({ tables }) => tables.includes(table));
    if (target === undefined || (await existingTables(target.client, [table], target.schemas)).length === 0)
      throw new BackupRefused(`${path} was made by a later version: the schema of the data has no table ${table}`);
    const { client, schemas } = target;
    const names = namesOf([table], schemas);
    const known = await storedColumns(client, names[0] ?? table);
    // Against SQL injection: only names that the database has itself are put into statements.
    const unknown = columns.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new BackupRefused(`${path} holds a column that ${table} does not have: ${JSON.stringify(unknown)}`);
    filled[table] =
      schemas.areNamed || mayRepeatRows(table)
        ? await copySpread(target, table, columns, pieces)
        : await copyIn(client, `"${table}"`, columns.map(quoted), pieces);
    if (filled[table] !== rows()) throw new BackupRefused(`${path} is damaged: the row count of ${table} does not match its rows`);
    for (const name of names) await advanceSequences(client, name);
  }
  return filled;
}

const quoted = (name: string): string => `"${name}"`;

/** Through a temporary table, from which the rows go to the schemas of their projects. */
async function copySpread(
  { client, schemas }: Target,
  table: KeptTable,
  columns: readonly string[],
  pieces: AsyncIterable<Buffer>,
): Promise<number> {
  const like = namesOf([table], schemas)[0] ?? table;
  await client.query(`CREATE TEMPORARY TABLE restoring AS SELECT ${columns.map(quoted).join(', ')} FROM ${like} LIMIT 0`);
  const rows = await copyIn(client, 'restoring', columns.map(quoted), pieces);
  const conflict = mayRepeatRows(table) ? 'ON CONFLICT DO NOTHING' : '';
  await spreadRows(client, schemas, { table, from: 'restoring', columns, conflict });
  await client.query('DROP TABLE restoring');
  return rows;
}

/** Sequences continue after the highest restored value. */
async function advanceSequences(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string; sequence: string }>(
    `SELECT attname AS name, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND attidentity <> ''`,
    [table],
  );
  for (const { name, sequence } of rows)
    await client.query(`SELECT setval($1::regclass, max("${name}")) FROM ${table} HAVING max("${name}") IS NOT NULL`, [sequence]);
}

async function makePartitions(url: string, schemas: ObservationSchemas, { days }: BackupHead): Promise<void> {
  const settings = { ...connectionSettings(url, { name: 'restore' }), ...clientClass(DatabaseClient), max: 1 };
  const pool = Object.assign(new pg.Pool(settings), { schemas });
  try {
    for (const kind of ['sample', 'run'] as const)
      await new DayPartitions(pool, kind).ensure(days[kind].map((day) => (Date.parse(`${day}T00:00:00Z`) / DAY_MS) * 24));
  } finally {
    await pool.end();
  }
}

/**
 * Keys may be newer than the data: keys, passwords and tokens of accounts that the restored log does not contain are deleted, because their
 * numbers are assigned again. Not with an external event store, which still holds the events of those accounts.
 */
async function deleteUnknownSubjects(client: pg.Client): Promise<void> {
  await client.query(`DELETE FROM subject_keys WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = subject_keys.subject)`);
  for (const table of ['passwords', 'password_changes', 'tokens', 'second_factor', 'recovery_code', 'links', 'erasures'])
    await client.query(`DELETE FROM ${table} AS t WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || t.user_id)`);
}

/** A mistyped id must not be taken for an erasure. Not with an external event store, where an account may be newer than the backup. */
async function refuseUnknownAccounts(client: pg.Client, erased: readonly number[]): Promise<void> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT named.id FROM unnest($1::int[]) AS named (id) WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || named.id)`,
    [erased],
  );
  if (rows.length > 0) throw new BackupRefused(`--erased: the backup has no account ${rows.map(({ id }) => id).join(', ')}`);
}

/**
 * Crypto-shreds the accounts that were erased after the data were copied, and marks their erasures as unfinished: the service completes them
 * (projects, memberships, the event itself) within a minute of its start.
 */
async function eraseAgain(client: pg.Client, erased: readonly number[]): Promise<readonly number[]> {
  await client.query('INSERT INTO erasures (user_id) SELECT unnest($1::int[]) ON CONFLICT (user_id) DO NOTHING', [erased]);
  const { rows } = await client.query<{ user_id: number }>(
    `UPDATE erasures SET done_at = NULL
     WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || erasures.user_id AND log.type = 'AccountErased')
     RETURNING user_id`,
  );
  const users = rows.map(({ user_id }) => user_id).toSorted((a, b) => a - b);
  await client.query(
    `UPDATE subject_keys SET wrapped = NULL, erased_at = coalesce(erased_at, now())
     WHERE subject = ANY(SELECT 'account-' || user_id FROM unnest($1::int[]) AS user_id)`,
    [users],
  );
  for (const table of ['passwords', 'password_changes', 'tokens', 'second_factor', 'recovery_code', 'links'])
    await client.query(`DELETE FROM ${table} WHERE user_id = ANY($1)`, [users]);
  return users;
}
