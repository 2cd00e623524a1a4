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
