import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';

/** The page that it leads to. Both set a password and thereby confirm the e-mail address. */
export type LinkPurpose = 'confirm' | 'password';

export interface OpenLink {
  readonly userId: number;
  readonly purpose: LinkPurpose;
}

export const linkHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Single-use tokens of links sent by mail; the table holds their SHA-256 hashes only. */
export class LinkStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Answers the token, which cannot be recovered later. */
  async create(userId: number, purpose: LinkPurpose, expiresAt: Date): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.pool.query('INSERT INTO links (hash, user_id, purpose, expires_at) VALUES ($1, $2, $3, $4)', [
      linkHash(token),
      userId,
      purpose,
      expiresAt,
    ]);
    return token;
  }

  /** Finds a valid link without using it up. */
  async find(token: string): Promise<OpenLink | null> {
    const { rows } = await this.pool.query<{ user_id: number; purpose: LinkPurpose }>(
      'SELECT user_id, purpose FROM links WHERE hash = $1 AND expires_at > now()',
      [linkHash(token)],
    );
    const row = rows[0];
    return row === undefined ? null : { userId: row.user_id, purpose: row.purpose };
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE user_id = $1', [userId]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE expires_at < now()');
  }
}
