import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';

/** The page that it leads to. The first two set a password and thereby confirm the e-mail address; `notification` confirms the notification address alone. */
export type LinkPurpose = 'confirm' | 'password' | 'notification';

export interface OpenLink {
  readonly userId: number;
  readonly purpose: LinkPurpose;
  /** Of a notification link: the address that it was mailed to, sealed. */
  readonly address: string | null;
}

export const linkHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Single-use tokens of links sent by mail; the table holds their SHA-256 hashes only. */
export class LinkStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Answers the token, which cannot be recovered later. */
  async create(userId: number, purpose: LinkPurpose, expiresAt: Date, address: string | null = null): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.pool.query('INSERT INTO links (hash, user_id, purpose, expires_at, address) VALUES ($1, $2, $3, $4, $5)', [
      linkHash(token),
      userId,
      purpose,
      expiresAt,
      address,
    ]);
    return token;
  }

  /** Finds a valid link without using it up. */
  async find(token: string): Promise<OpenLink | null> {
    const { rows } = await this.pool.query<{ user_id: number; purpose: LinkPurpose; address: string | null }>(
      'SELECT user_id, purpose, address FROM links WHERE hash = $1 AND expires_at > now()',
      [linkHash(token)],
    );
    const row = rows[0];
    return row === undefined ? null : { userId: row.user_id, purpose: row.purpose, address: row.address };
  }

  async useUp(token: string): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE hash = $1', [linkHash(token)]);
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('WITH unsent AS (DELETE FROM mail_outbox WHERE user_id = $1) DELETE FROM links WHERE user_id = $1', [userId]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE expires_at < now()');
  }
}
