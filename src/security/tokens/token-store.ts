import type pg from 'pg';

/** What the table holds of a token that is still good. Its value is signed and never kept. */
export interface KnownToken {
  readonly userId: number;
  readonly kind: 'login' | 'personal';
}

export interface NewToken extends KnownToken {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The tokens that are still good: revoking one deletes its row, so that a token which nobody knows any more is none. */
export class TokenStore {
  constructor(private readonly pool: pg.Pool) {}

  /**
   * Harmless when repeated. False, and nothing is added, when `passwordHash` is no more the account's: the row is held for the moment, so
   * that whoever changes the password afterwards also finds this token to revoke.
   */
  async add({ tokenId, userId, kind, issuedAt, expiresAt }: NewToken, passwordHash: string | null): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'token-add',
      text: `
        WITH same AS (SELECT 1 FROM passwords WHERE user_id = $2 AND hash = $6 FOR SHARE)
        INSERT INTO tokens AS known (token_id, user_id, kind, issued_at, expires_at)
        SELECT $1, $2, $3, $4, $5 WHERE $6::text IS NULL OR EXISTS (SELECT FROM same)
        ON CONFLICT (token_id) DO UPDATE SET token_id = known.token_id`,
      values: [tokenId, userId, kind, issuedAt, expiresAt, passwordHash],
    });
    return rowCount === 1;
  }

  /** Null: revoked, expired, or never issued. Notes the use, to the minute. */
  async use(tokenId: string): Promise<KnownToken | null> {
    const { rows } = await this.pool.query<{ user_id: number; kind: 'login' | 'personal' }>({
      name: 'token-use',
      text: `
        WITH noted AS (
          UPDATE tokens SET last_used_at = now()
          WHERE token_id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
        )
        SELECT user_id, kind FROM tokens WHERE token_id = $1 AND expires_at > now()`,
      values: [tokenId],
    });
    const row = rows[0];
    return row === undefined ? null : { userId: row.user_id, kind: row.kind };
  }

  /** Of tokens that were never used nothing is known. */
  async lastUses(userId: number): Promise<ReadonlyMap<string, Date>> {
    const { rows } = await this.pool.query<{ token_id: string; last_used_at: Date }>(
      'SELECT token_id, last_used_at FROM tokens WHERE user_id = $1 AND last_used_at IS NOT NULL',
      [userId],
    );
    return new Map(rows.map((row) => [row.token_id, row.last_used_at]));
  }

  /** A personal one; those of a sign-in end with the password only. */
  async revoke(userId: number, tokenId: string): Promise<void> {
    await this.pool.query(`DELETE FROM tokens WHERE user_id = $1 AND token_id = $2 AND kind = 'personal'`, [userId, tokenId]);
  }

  async revokeAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM tokens WHERE user_id = $1', [userId]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query(`DELETE FROM tokens WHERE expires_at < now()`);
  }
}
