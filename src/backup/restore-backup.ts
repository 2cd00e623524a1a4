import pg from 'pg';
import { copyIn } from '../persistence/copy.ts';
import { connectionSettings } from '../persistence/pool.ts';
import { DayPartitions } from '../observations/packs/day-partitions.ts';
import { migrate } from '../migrations/migrate.ts';
import { BackupRefused } from './backup-refused.ts';
import type { BackupHead } from './backup-head.ts';
import { eraseAgain, forgetUnknown, refuseStrangers } from './erased-since.ts';
import { declareLost } from './lost-since.ts';
import { keptTables, type KeptTable } from './kept-tables.ts';
import { readTables } from './read-backup.ts';
import type { Restored, RestoreOrder } from './restore-order.ts';
import { columnsOf, tablesThere } from './snapshot.ts';

const DAY_MS = 86_400_000;

/** All or nothing, and only where nothing is. The schema is made as the backup had it, filled, and then brought to this version. */
export async function restoreBackup(order: RestoreOrder): Promise<Restored> {
  const { url, data } = order;
  await migrate(url, data.head.migrations);
  await makePartitions(url, data.head);
  const client = new pg.Client({
    ...connectionSettings(url, { name: 'restore', statementTimeoutMs: 0 }),
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('BEGIN');
    await refuseUnlessEmpty(client);
    const rows = { ...(await fill(client, order, 'data')), ...(await fill(client, order, 'keys')) };
    if (data.head.engine === 'postgres') {
      await refuseStrangers(client, order.erased);
      await forgetUnknown(client);
    }
    const erasing = await eraseAgain(client, order.erased);
    const lost = data.head.engine === 'postgres' ? await declareLost(client, order) : null;
    order.signal.throwIfAborted();
    await client.query('COMMIT');
    await client.query('ANALYZE');
    await migrate(url);
    return { events: data.head.events, rows, lost, erasing };
  } finally {
    // What was not committed ends with the connection.
    await client.end().catch(() => undefined);
  }
}

/** Nobody writes meanwhile: a service that starts waits for the tables. */
async function refuseUnlessEmpty(client: pg.Client): Promise<void> {
  const there = await tablesThere(client, Object.keys(keptTables));
  await client.query(`LOCK TABLE ${there.join(', ')} IN ACCESS EXCLUSIVE MODE`);
  for (const table of there) {
    const { rowCount } = await client.query(`SELECT FROM ${table} LIMIT 1`);
    if (rowCount !== 0)
      throw new BackupRefused(`restoring needs an installation that was never used: there is something in ${table} already`);
  }
}

async function fill(client: pg.Client, order: RestoreOrder, part: 'data' | 'keys'): Promise<Record<string, number>> {
  const filled: Record<string, number> = {};
  const { path } = order[part];
  const progress = (bytes: number): void => {
    order.signal.throwIfAborted();
    if (part === 'data') order.progress(bytes);
  };
  for await (const { table, columns, pieces, rows } of readTables(path, order.master, progress)) {
    if ((await tablesThere(client, [table])).length === 0)
      throw new BackupRefused(`${path} is of a later version: the data know no ${table}`);
    const known = await columnsOf(client, table);
    // Names of the file stand in no statement unless the database has them, too.
    const strange = columns.find((name) => !known.includes(name));
    if (strange !== undefined) throw new BackupRefused(`${path} holds a column that ${table} does not have: ${JSON.stringify(strange)}`);
    filled[table] = await copyIn(
      client,
      `"${table}"`,
      columns.map((name) => `"${name}"`),
      pieces,
    );
    if (filled[table] !== rows()) throw new BackupRefused(`${path} is damaged: ${table} has another number of rows than it says`);
    await goOnCounting(client, table);
  }
  return filled;
}

/** Ids that the database gives out go on behind those that were restored. */
async function goOnCounting(client: pg.Client, table: KeptTable): Promise<void> {
  const { rows } = await client.query<{ name: string; sequence: string }>(
    `SELECT attname AS name, pg_get_serial_sequence($1, attname) AS sequence FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND attidentity <> ''`,
    [table],
  );
  for (const { name, sequence } of rows)
    await client.query(`SELECT setval($1::regclass, max("${name}")) FROM ${table} HAVING max("${name}") IS NOT NULL`, [sequence]);
}

async function makePartitions(url: string, { days }: BackupHead): Promise<void> {
  const pool = new pg.Pool({ ...connectionSettings(url, { name: 'restore' }), max: 1 });
  try {
    for (const kind of ['sample', 'run'] as const)
      await new DayPartitions(pool, kind).ensure(days[kind].map((day) => (Date.parse(`${day}T00:00:00Z`) / DAY_MS) * 24));
  } finally {
    await pool.end();
  }
}
