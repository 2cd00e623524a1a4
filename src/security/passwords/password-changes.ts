import type pg from 'pg';
import type { Actor } from '../../kernel/event.ts';
import { linkHash } from '../tokens/link-store.ts';
import { inTransaction } from '../../persistence/transaction.ts';
import { hashPassword } from './hashing.ts';

/** Who changes a password, and by which command: everything that its event will say. */
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
 * Changes of passwords that were begun. The new hash waits here, where it is good for nothing, until its event stands; one at a time for an
 * account, so that passwords take their turns in the order of their events. Whoever finds one that is left may carry it through.
 */
export class PasswordChanges {
  constructor(private readonly pool: pg.Pool) {}

  /** `another`: one that was begun before has to be carried through first. With a link, only while that is good. */
  async begin(change: PasswordChange, password: string, link: string | null): Promise<'begun' | 'another' | 'link gone'> {
    const { userId, commandId, ...noted } = change;
    const hash = await hashPassword(password);
    // The link is held for the moment: a change through the same link that is just carried through takes it away first.
    const { rowCount } = await this.pool.query({
      name: 'password-change-begin',
      text: `
        WITH held AS (SELECT FROM links WHERE hash = $5 AND user_id = $1 AND purpose = 'password' AND expires_at > now() FOR SHARE)
        INSERT INTO password_changes AS known (user_id, command_id, hash, noted)
        SELECT $1, $2, $3, $4 WHERE $5::text IS NULL OR EXISTS (SELECT FROM held)
        ON CONFLICT (user_id) DO UPDATE SET hash = known.hash WHERE known.command_id = excluded.command_id`,
      values: [userId, commandId, hash, JSON.stringify(noted), link === null ? null : linkHash(link)],
    });
    if (rowCount === 1) return 'begun';
    return (await this.of(userId)) === null && link !== null ? 'link gone' : 'another';
  }

  async of(userId: number): Promise<PasswordChange | null> {
    const { rows } = await this.pool.query<Row>({
      name: 'password-change-of',
      text: 'SELECT user_id, command_id, noted FROM password_changes WHERE user_id = $1',
      values: [userId],
    });
    return rows[0] === undefined ? null : changeOf(rows[0]);
  }

  async left(): Promise<readonly PasswordChange[]> {
    const { rows } = await this.pool.query<Row>('SELECT user_id, command_id, noted FROM password_changes ORDER BY begun_at');
    return rows.map(changeOf);
  }

  /**
   * From here on the new password counts, and nothing that was made with the old one is left: neither tokens nor links. Of two that carry the
   * same change through one does this. Links go first, because whoever begins another change through one of them holds it.
   */
  async carryThrough({ userId, commandId }: PasswordChange): Promise<void> {
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
      // A statement of its own: a login that held the old password until now has left its token.
      await client.query('DELETE FROM tokens WHERE user_id = $1', [userId]);
    });
  }

  /** It was refused, or its account is gone. */
  async giveUp(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM password_changes WHERE user_id = $1', [userId]);
  }
}

const changeOf = ({ user_id, command_id, noted }: Row): PasswordChange => ({ ...noted, userId: user_id, commandId: command_id });
