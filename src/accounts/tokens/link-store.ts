import { Injectable } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * What it is for. All but `notification`, which confirms the notification address alone, set a password and thereby confirm the e-mail address; `sign-in`
 * opens a session of the console instead, if it is used for that first.
 */
export type LinkPurpose = 'confirm' | 'password' | 'notification' | 'sign-in';

export interface OpenLink {
  readonly userId: number;
  readonly purpose: LinkPurpose;
  /** The address that a notification link was mailed to, sealed; null for other links. */
  readonly address: string | null;
}

export const linkHash = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Single-use tokens of links that are mailed or printed; the table holds their SHA-256 hashes only. */
@Injectable()
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

  /**
   * Creates a link for the first account. Its row stays after it has expired, because the next start prints another link while none was used. The links of
   * several instances that start at once are valid side by side.
   */
  async createFirst(userId: number, expiresAt: Date): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.pool.query(
      `WITH expired AS (DELETE FROM links WHERE user_id = $2 AND first AND expires_at < now())
       INSERT INTO links (hash, user_id, purpose, expires_at, first) VALUES ($1, $2, 'sign-in', $3, true)`,
      [linkHash(token), userId, expiresAt],
    );
    return token;
  }

  /** The first account whose links were not used yet; null when there is none. */
  async unusedFirst(): Promise<number | null> {
    const { rows } = await this.pool.query<{ userId: number }>('SELECT user_id AS "userId" FROM links WHERE first LIMIT 1');
    return rows[0]?.userId ?? null;
  }

  /** Uses up a link that signs in, and with a link of the first account all of those; of several requests one succeeds. Answers false when it is not valid. */
  async useToSignIn(token: string): Promise<boolean> {
    const { rows } = await this.pool.query<{ hash: string }>(
      `WITH given AS (SELECT user_id, first FROM links WHERE hash = $1 AND purpose = 'sign-in' AND expires_at > now())
       DELETE FROM links USING given WHERE links.user_id = given.user_id AND (links.hash = $1 OR (links.first AND given.first)) RETURNING hash`,
      [linkHash(token)],
    );
    return rows.some(({ hash }) => hash === linkHash(token));
  }

  async useUp(token: string): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE hash = $1', [linkHash(token)]);
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('WITH unsent AS (DELETE FROM mail_outbox WHERE user_id = $1) DELETE FROM links WHERE user_id = $1', [userId]);
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query('DELETE FROM links WHERE expires_at < now() AND NOT first');
  }
}
