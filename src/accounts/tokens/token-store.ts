import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { BatchedLookup } from '../../platform/postgres/batched-lookup.ts';

/** A row of a valid token; its signed value is never stored. */
export interface KnownToken {
  readonly userId: number;
  readonly kind: 'login' | 'personal' | 'service';
  /** The project whose service account has the token; null for any other token. */
  readonly projectId: string | null;
  /** When the person behind a login token signed in, or last confirmed who they are; null for a personal token. */
  readonly confirmedAt: Date | null;
  /** What was shown besides a password, or instead of it: a kind of factor, `recovery code` or `provider`. */
  readonly secondFactor: string | null;
  /** Shown as the cookie of the console. */
  readonly isSession: boolean;
}

export interface NewToken extends Pick<KnownToken, 'userId' | 'kind'> {
  readonly tokenId: string;
  readonly projectId?: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  /** When the person behind a login token last confirmed who they are, unless by signing in right now; null when unknown. */
  readonly confirmedAt?: Date | null;
  /** From where a login token was opened, sealed with the key of the account. */
  readonly openedFrom?: string;
  readonly secondFactor?: string | null | undefined;
}

/** The last use of a token, to the minute. */
export interface LastUse {
  readonly lastUsedAt: Date;
  /** The address, sealed with the key of the account. */
  readonly lastUsedFrom: string | null;
}

/** The valid tokens: a token without a row is invalid, so deleting its row revokes it. */
@Injectable()
export class TokenStore {
  private readonly uses = new BatchedLookup((tokenIds) => this.knownOf(tokenIds));

  constructor(private readonly pool: pg.Pool) {}

  /**
   * Idempotent. Adds nothing and answers false when `passwordHash` is no longer the account's: FOR SHARE makes a concurrent password change
   * wait, so that it also revokes this token.
   */
  async add(
    { tokenId, userId, kind, projectId, issuedAt, expiresAt, confirmedAt = issuedAt, openedFrom, secondFactor }: NewToken,
    passwordHash: string | null,
  ): Promise<boolean> {
    const { rowCount } = await this.pool.query({
      name: 'token-add',
      text: `
        WITH same AS (SELECT 1 FROM passwords WHERE user_id = $2 AND hash = $6 FOR SHARE)
        INSERT INTO tokens AS known (token_id, user_id, kind, issued_at, expires_at, confirmed_at, opened_from, second_factor, project_id)
        SELECT $1, $2, $3, $4, $5, CASE $3 WHEN 'login' THEN $9::timestamptz END, $7, $8, $10 WHERE $6::text IS NULL OR EXISTS (SELECT FROM same)
        ON CONFLICT (token_id) DO UPDATE SET token_id = known.token_id`,
      values: [
        tokenId,
        userId,
        kind,
        issuedAt,
        expiresAt,
        passwordHash,
        openedFrom ?? null,
        secondFactor ?? null,
        confirmedAt,
        projectId ?? null,
      ],
    });
    return rowCount === 1;
  }

  /** Answers null for a token that was revoked, has expired, or was never issued. */
  async use(tokenId: string): Promise<KnownToken | null> {
    return (await this.uses.load(tokenId)) ?? null;
  }

  /** The last use of each token that was used. */
  async lastUses(userId: number): Promise<ReadonlyMap<string, LastUse>> {
    const { rows } = await this.pool.query<LastUse & { readonly tokenId: string }>(
      `SELECT token_id AS "tokenId", last_used_at AS "lastUsedAt", last_used_from AS "lastUsedFrom"
       FROM tokens WHERE user_id = $1 AND last_used_at IS NOT NULL`,
      [userId],
    );
    return new Map(rows.map(({ tokenId, ...last }) => [tokenId, last]));
  }

  /** Revokes a personal token or one of a service account; a login token is ended by `SessionStore`. */
  async revoke(userId: number, tokenId: string): Promise<void> {
    await this.pool.query(`DELETE FROM tokens WHERE user_id = $1 AND token_id = $2 AND kind <> 'login'`, [userId, tokenId]);
  }

  /** Takes a login token back that was never handed out. */
  async withdraw(tokenId: string): Promise<void> {
    await this.pool.query('DELETE FROM tokens WHERE token_id = $1', [tokenId]);
  }

  /** Revokes the codes that are exchanged for a token, too. */
  async revokeAll(userId: number): Promise<void> {
    await this.pool.query('WITH codes AS (DELETE FROM sign_in_codes WHERE user_id = $1) DELETE FROM tokens WHERE user_id = $1', [userId]);
  }

  /** Revokes the tokens of a service account that was deleted; `projectId` is null for one of the installation. */
  async revokeService(projectId: string | null, userId: number): Promise<void> {
    await this.pool.query(`DELETE FROM tokens WHERE user_id = $1 AND kind = 'service' AND project_id IS NOT DISTINCT FROM $2`, [
      userId,
      projectId,
    ]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query(`DELETE FROM tokens WHERE expires_at < now() AND ending IS NULL`);
  }

  private async knownOf(tokenIds: readonly string[]): Promise<ReadonlyMap<string, KnownToken>> {
    const { rows } = await this.pool.query<KnownToken & { readonly tokenId: string }>({
      name: 'token-use',
      text: `
        SELECT token_id AS "tokenId", user_id AS "userId", kind, project_id AS "projectId", confirmed_at AS "confirmedAt",
          second_factor AS "secondFactor", cookie_hash IS NOT NULL AS "isSession"
        FROM tokens WHERE token_id = ANY ($1::text[]) AND expires_at > now() AND ending IS NULL`,
      values: [tokenIds],
    });
    return new Map(rows.map(({ tokenId, ...token }) => [tokenId, token]));
  }
}
