import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Actor } from '../../kernel/event.ts';
import { linkHash } from '../tokens/link-store.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { hashPassword } from './passwords.ts';

/** Actor and command of a password change: everything that its event contains. */
export interface PasswordChange {
  readonly userId: number;
  readonly by: 'owner' | 'link' | 'administrator';
  readonly actor: Actor;
  readonly commandId: string;
  readonly occurredAt: string;
  readonly requestHash?: string;
}

interface Row {
  readonly user_id: number;
  readonly command_id: string;
  readonly noted: Omit<PasswordChange, 'userId' | 'commandId'>;
}

/**
 * Pending password changes. The new hash stays here, not yet valid, until its event is appended; one at a time per account, so that passwords
 * change in the order of their events. Any process may complete one that a crash left pending.
 */
@Injectable()
export class PasswordChanges {
  constructor(private readonly pool: pg.Pool) {}

  /** `another`: an earlier change must be completed first. With a link, only while the link is valid. */
  async begin(change: PasswordChange, password: string, link: string | null): Promise<'begun' | 'another' | 'invalid link'> {
    const { userId, commandId, ...noted } = change;
    const hash = await hashPassword(password);
    // FOR SHARE: waits for a concurrent change through the same link, whose completion deletes the link.
    const { rowCount } = await this.pool.query({
      name: 'password-change-begin',
      text: `
        WITH held AS (SELECT FROM links WHERE hash = $5 AND user_id = $1 AND expires_at > now() FOR SHARE)
        INSERT INTO password_changes AS known (user_id, command_id, hash, noted)
        SELECT $1, $2, $3, $4 WHERE $5::text IS NULL OR EXISTS (SELECT FROM held)
        ON CONFLICT (user_id) DO UPDATE SET hash = known.hash WHERE known.command_id = excluded.command_id`,
      values: [userId, commandId, hash, JSON.stringify(noted), link === null ? null : linkHash(link)],
    });
    if (rowCount === 1) return 'begun';
    return (await this.pendingOf(userId)) === null && link !== null ? 'invalid link' : 'another';
  }

  async pendingOf(userId: number): Promise<PasswordChange | null> {
    const { rows } = await this.pool.query<Row>({
      name: 'password-change-of',
      text: 'SELECT user_id, command_id, noted FROM password_changes WHERE user_id = $1',
      values: [userId],
    });
    return rows[0] === undefined ? null : changeOf(rows[0]);
  }

  async pending(): Promise<readonly PasswordChange[]> {
    const { rows } = await this.pool.query<Row>('SELECT user_id, command_id, noted FROM password_changes ORDER BY begun_at');
    return rows.map(changeOf);
  }

  /**
   * Makes the new password valid and deletes all tokens and links of the account. Of concurrent completions of one change, one has an effect.
   * Links are deleted first, because `begin` locks the link of a change.
   */
  async complete({ userId, commandId }: PasswordChange): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<{ hash: string }>('SELECT hash FROM password_changes WHERE user_id = $1 AND command_id = $2', [
        userId,
        commandId,
      ]);
      if (rows[0] === undefined) return;
      await client.query('DELETE FROM links WHERE user_id = $1', [userId]);
      const taken = await client.query<{ hash: string }>(
        'DELETE FROM password_changes WHERE user_id = $1 AND command_id = $2 RETURNING hash',
        [userId, commandId],
      );
      const hash = taken.rows[0]?.hash;
      if (hash === undefined) return;
      await client.query(
        `INSERT INTO passwords (user_id, hash) VALUES ($1, $2)
         ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()`,
        [userId, hash],
      );
      // A separate statement sees the token of a login that locked the old password until now.
      await client.query('DELETE FROM tokens WHERE user_id = $1', [userId]);
    });
  }

  /** The change was refused, or its account no longer exists. */
  async cancel(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM password_changes WHERE user_id = $1', [userId]);
  }
}

const changeOf = ({ user_id, command_id, noted }: Row): PasswordChange => ({ ...noted, userId: user_id, commandId: command_id });
