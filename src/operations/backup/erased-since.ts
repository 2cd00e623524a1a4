import type pg from 'pg';
import { BackupRefused } from './backup-refused.ts';

/**
 * Keys may be newer than the data: keys, passwords and tokens of accounts that the restored log does not contain are deleted, because their
 * numbers are assigned again. Not with an external event store, which still holds the events of those accounts.
 */
export async function deleteUnknownSubjects(client: pg.Client): Promise<void> {
  await client.query(`DELETE FROM subject_keys WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = subject_keys.subject)`);
  for (const table of ['passwords', 'password_changes', 'tokens', 'second_factor', 'recovery_code', 'links', 'erasures'])
    await client.query(`DELETE FROM ${table} AS t WHERE NOT EXISTS (SELECT FROM log WHERE log.scope = 'account-' || t.user_id)`);
}

/** A mistyped id must not be taken for an erasure. Not with an external event store, where an account may be newer than the backup. */
export async function refuseUnknownAccounts(client: pg.Client, erased: readonly number[]): Promise<void> {
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
  for (const table of ['passwords', 'password_changes', 'tokens', 'second_factor', 'recovery_code', 'links'])
    await client.query(`DELETE FROM ${table} WHERE user_id = ANY($1)`, [users]);
  return users;
}
