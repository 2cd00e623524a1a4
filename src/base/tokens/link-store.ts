import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';

/** `confirm` says that the address is the account's; `password` also lets its bearer set a password. */
export type LinkPurpose = 'confirm' | 'password';

export interface OpenLink {
  readonly userId: number;
  readonly purpose: LinkPurpose;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Single-use tokens of links that go out by mail; the table knows their hashes only. */
export class LinkStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Answers the token, which nobody can tell again. */
  async make(userId: number, purpose: LinkPurpose, expiresAt: Date): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.pool.query('INSERT INTO links (hash, user_id, purpose, expires_at) VALUES ($1, $2, $3, $4)', [
      hashOf(token),
      userId,
      purpose,
      expiresAt,
    ]);
    return token;
  }

  /** What the token is good for, without using it up. */
  async look(token: string): Promise<OpenLink | null> {
    return this.one('SELECT user_id, purpose FROM links WHERE hash = $1 AND expires_at > now()', token);
  }

  /** Of two who come with the same token, one gets it. */
  async take(token: string): Promise<OpenLink | null> {
    return this.one('DELETE FROM links WHERE hash = $1 AND expires_at > now() RETURNING user_id, purpose', token);
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE user_id = $1', [userId]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE expires_at < now()');
  }

  private async one(statement: string, token: string): Promise<OpenLink | null> {
    const { rows } = await this.pool.query<{ user_id: number; purpose: LinkPurpose }>(statement, [hashOf(token)]);
    const row = rows[0];
    return row === undefined ? null : { userId: row.user_id, purpose: row.purpose };
  }
}
