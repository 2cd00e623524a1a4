import type pg from 'pg';

const QUERY = `
  SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS "readOnly",
         EXISTS (SELECT FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event = 'SyncRep' AND state_change < now() - interval '3 seconds') AS "waits"`;

/** Rejects with the reason when a write would not go through, as far as the database says so without being written to. */
export async function refuseUnwritable(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ standby: boolean; readOnly: boolean; waits: boolean }>({ name: 'unwritable', text: QUERY });
  const row = rows[0];
  if (row?.standby === true) throw new Error('accepts no writes: it is a standby');
  if (row?.readOnly === true) throw new Error('accepts no writes: default_transaction_read_only is on');
  if (row?.waits === true) throw new Error('commits wait for a synchronous standby (synchronous_standby_names)');
}

/**
 * Writes and commits a row, which needs room on the disk, a database that is not read-only, and its synchronous standbys. TRUNCATE gives the table a new
 * file, so that the row does not fit into space that it already has. The short lock timeout keeps probes from queueing behind one that hangs.
 */
const PROBE = `
  BEGIN;
  SET LOCAL lock_timeout = '1s';
  TRUNCATE write_probe;
  INSERT INTO write_probe DEFAULT VALUES;
  COMMIT`;

export async function probeWrite(db: pg.Pool | pg.Client): Promise<void> {
  await db.query(PROBE);
}
