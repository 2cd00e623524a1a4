import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { Actor } from '../../kernel/event.ts';
import type { LastUse } from './token-store.ts';

/** A login token that is valid. */
export interface LoginSession {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly lastUse: LastUse | null;
  /** Sealed with the key of the account. */
  readonly openedFrom: string | null;
  /** Shown as the cookie of the console. */
  readonly isSession: boolean;
}

/** Actor and command that end a session: everything that its event contains. */
export interface SessionEnding {
  readonly actor: Actor;
  readonly commandId: string;
  readonly occurredAt: string;
  readonly requestHash?: string;
}

/** Sessions: the rows of login tokens. */
@Injectable()
export class SessionStore {
  constructor(private readonly pool: pg.Pool) {}

  /** The newest first. */
  async ofUser(userId: number): Promise<readonly LoginSession[]> {
    const { rows } = await this.pool.query<
      Omit<LoginSession, 'lastUse'> & { readonly lastUsedAt: Date | null; readonly lastUsedFrom: string | null }
    >(
      `SELECT token_id AS "tokenId", issued_at AS "issuedAt", expires_at AS "expiresAt", opened_from AS "openedFrom",
         last_used_at AS "lastUsedAt", last_used_from AS "lastUsedFrom", cookie_hash IS NOT NULL AS "isSession"
       FROM tokens WHERE user_id = $1 AND kind = 'login' AND ending IS NULL AND expires_at > now() ORDER BY issued_at DESC, token_id`,
      [userId],
    );
    return rows.map(({ lastUsedAt, lastUsedFrom, ...session }) => ({
      ...session,
      lastUse: lastUsedAt === null ? null : { lastUsedAt, lastUsedFrom },
    }));
  }

  /** Step-up: its holder has proved who they are, just now unless stated otherwise. Answers false without such a session. */
  async confirm(tokenId: string, at: Date | null = null): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE tokens SET confirmed_at = greatest(confirmed_at, coalesce($2, now())) WHERE token_id = $1 AND kind = 'login'`,
      [tokenId, at],
    );
    return rowCount === 1;
  }

  /** The other sessions have to prove who they are again. */
  async unconfirmOthers(userId: number, tokenId: string): Promise<void> {
    await this.pool.query('UPDATE tokens SET confirmed_at = NULL WHERE user_id = $1 AND token_id <> $2', [userId, tokenId]);
  }

  /**
   * From here on the token is invalid; its event is still to be appended. Answers the ending that was noted first, so that a repeat completes that
   * one. Null: the account has no such session.
   */
  async beginEnding(userId: number, tokenId: string, ending: SessionEnding): Promise<SessionEnding | null> {
    const { rows } = await this.pool.query<{ ending: SessionEnding }>(
      `UPDATE tokens SET ending = coalesce(ending, $3) WHERE token_id = $2 AND user_id = $1 AND kind = 'login' RETURNING ending`,
      [userId, tokenId, JSON.stringify(ending)],
    );
    return rows[0]?.ending ?? null;
  }

  /**
   * Begins to end the least recently used sessions beyond `most`, each as a command of its own. Two instances that sign in at once count each
   * other's session, and do not end one twice.
   */
  async beginEndingBeyond(
    userId: number,
    most: number,
    endingOf: (tokenId: string) => SessionEnding,
  ): Promise<readonly { readonly tokenId: string; readonly ending: SessionEnding }[]> {
    const { rows } = await this.pool.query<{ tokenId: string }>(
      `SELECT token_id AS "tokenId" FROM tokens WHERE user_id = $1 AND kind = 'login' AND ending IS NULL AND expires_at > now()
       ORDER BY greatest(last_used_at, issued_at) DESC, token_id OFFSET $2`,
      [userId, most],
    );
    const ended = rows.map(({ tokenId }) => ({ tokenId, ending: endingOf(tokenId) }));
    const begun = await Promise.all(ended.map(({ tokenId, ending }) => this.beginEnding(userId, tokenId, ending)));
    return ended.filter((_, index) => begun[index] !== null);
  }

  async completeEnding(tokenId: string): Promise<void> {
    await this.pool.query('DELETE FROM tokens WHERE token_id = $1 AND ending IS NOT NULL', [tokenId]);
  }

  /** Answers null when the session is not being ended. */
  async endingOf(tokenId: string): Promise<SessionEnding | null> {
    const { rows } = await this.pool.query<{ ending: SessionEnding | null }>('SELECT ending FROM tokens WHERE token_id = $1', [tokenId]);
    return rows[0]?.ending ?? null;
  }

  /** Sessions whose end a crash interrupted. */
  async endings(): Promise<readonly { readonly userId: number; readonly tokenId: string; readonly ending: SessionEnding }[]> {
    const { rows } = await this.pool.query<{ userId: number; tokenId: string; ending: SessionEnding }>(
      'SELECT user_id AS "userId", token_id AS "tokenId", ending FROM tokens WHERE ending IS NOT NULL',
    );
    return rows;
  }
}
