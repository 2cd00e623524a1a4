import type pg from 'pg';
import { BackupRefused } from './backup-refused.ts';

/**
 * Keys may be newer than the data. Who was not there yet when the data were copied is not there now, and leaves nothing to whoever gets
 * his number next. (On another event store his events come again from there, and his keys are needed.)
 */
export async function forgetUnknown(client: pg.Client): Promise<void> {
  await client.query(`DELETE FROM subject_keys WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = subject_keys.subject)`);
  for (const table of ['passwords', 'password_changes', 'tokens', 'links', 'erasures'])
    await client.query(`DELETE FROM ${table} AS gone WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || gone.user_id)`);
}

/** A slip of the pen must not pass for an erasure. (On another event store an account may be younger than the backup.) */
export async function refuseStrangers(client: pg.Client, erased: readonly number[]): Promise<void> {
  const { rows } = await client.query<{ id: number }>(
    `SELECT named.id FROM unnest($1::int[]) AS named (id) WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || named.id)`,
    [erased],
  );
  if (rows.length > 0) throw new BackupRefused(`--erased: the backup has no account ${rows.map(({ id }) => id).join(', ')}`);
}

/**
 * Nobody comes back who was erased after the data were copied. Their keys are gone with the newer keys, or go now; the rest of an erasure
 * (projects, memberships, the event itself) is begun and not done, which the service takes up a minute after its start at the latest.
 */
export async function eraseAgain(client: pg.Client, erased: readonly number[]): Promise<readonly number[]> {
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
  for (const table of ['passwords', 'password_changes', 'tokens', 'links'])
    await client.query(`DELETE FROM ${table} WHERE user_id = ANY($1)`, [users]);
  return users;
}
