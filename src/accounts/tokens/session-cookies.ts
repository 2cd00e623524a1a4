import { Injectable } from '@nestjs/common';
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import pg from 'pg';
import { Secrets } from '../../platform/security/keyring/secrets.ts';

/** A value is replaced at the first request after this time. */
const ROTATION_SECONDS = 12 * 3_600;
/** For this long the replaced value is still accepted, and its successor is not replaced: requests that were under way may send either. */
const GRACE_SECONDS = 60;

const VALUE = /^[A-Za-z0-9_-]{43}$/;
/** Random bytes, and as many of a keyed hash over them. */
const HALF = 16;

/** A session of the console as its cookie names it. */
export interface CookieSession {
  readonly userId: number;
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
  readonly secondFactor: string | null;
  /** Opened by a one-time link. */
  readonly byLink: boolean;
  /** The system role of the account when the value was made. */
  readonly role: string | null;
  /** False for a value that was replaced less than a minute ago. */
  readonly isCurrent: boolean;
  /** The age of the current value. */
  readonly ageSeconds: number;
}

/** Rotation: after twelve hours, or when the system role of the account is another one. */
export const isRotationDue = ({ isCurrent, ageSeconds, role }: CookieSession, roleNow: string | null): boolean =>
  isCurrent && ageSeconds > (role === roleNow ? ROTATION_SECONDS : GRACE_SECONDS);

export const cookieHash = (value: string): string => hash('sha256', value);

/** The values of session cookies, stored as SHA-256 hashes in the row of the login token, so that whatever ends the token ends the session. */
@Injectable()
export class SessionCookies {
  constructor(
    private readonly pool: pg.Pool,
    private readonly secrets: Secrets,
  ) {}

  /** Whether this installation has made the value: a made-up one costs no query. */
  async isGenuine(value: string): Promise<boolean> {
    if (!VALUE.test(value)) return false;
    const bytes = Buffer.from(value, 'base64url');
    return timingSafeEqual(bytes.subarray(HALF), await this.keyedHash('value', bytes.subarray(0, HALF)));
  }

  /** Makes a login token the session of a browser. Answers the value of its cookie; null when the token has ended meanwhile. */
  async begin(tokenId: string, role: string | null, byLink: boolean): Promise<string | null> {
    const value = await this.valueOf(randomBytes(HALF));
    const { rowCount } = await this.pool.query(
      `UPDATE tokens SET cookie_hash = $2, cookie_at = now(), cookie_role = $3, by_link = $4
       WHERE token_id = $1 AND kind = 'login' AND ending IS NULL AND cookie_hash IS NULL`,
      [tokenId, cookieHash(value), role, byLink],
    );
    return rowCount === 1 ? value : null;
  }

  /** Answers null for a value that is unknown or was replaced, and for a session that has ended or expired. */
  async find(hashed: string): Promise<CookieSession | null> {
    const { rows } = await this.pool.query<CookieSession>({
      name: 'session-cookie-find',
      text: `
        SELECT user_id AS "userId", token_id AS "tokenId", issued_at AS "issuedAt", expires_at AS "expiresAt", second_factor AS "secondFactor",
          by_link AS "byLink", cookie_role AS role, cookie_hash = $1 AS "isCurrent", extract(epoch FROM now() - cookie_at)::float8 AS "ageSeconds"
        FROM tokens
        WHERE (cookie_hash = $1 OR (former_cookie_hash = $1 AND cookie_at > now() - make_interval(secs => $2)))
          AND ending IS NULL AND expires_at > now()`,
      values: [hashed, GRACE_SECONDS],
    });
    return rows[0] ?? null;
  }

  /**
   * The value after this one. It follows from it by a keyed hash, so that requests which are under way together, on any instance, are given the same,
   * and again while the replaced one is accepted.
   */
  async successorOf(value: string): Promise<string> {
    return this.valueOf(await this.keyedHash('next', Buffer.from(value)));
  }

  /** Replaces the value unless another request has. */
  async rotate(tokenId: string, value: string, role: string | null): Promise<string> {
    const next = await this.successorOf(value);
    await this.pool.query(
      `UPDATE tokens SET former_cookie_hash = cookie_hash, cookie_hash = $3, cookie_at = now(), cookie_role = $4
       WHERE token_id = $1 AND cookie_hash = $2`,
      [tokenId, cookieHash(value), cookieHash(next), role],
    );
    return next;
  }

  private async valueOf(random: Buffer): Promise<string> {
    return Buffer.concat([random, await this.keyedHash('value', random)]).toString('base64url');
  }

  private async keyedHash(purpose: 'value' | 'next', bytes: Buffer): Promise<Buffer> {
    const secret = await this.secrets.secret('sessions');
    return createHmac('sha256', secret).update(`${purpose}\n`).update(bytes).digest().subarray(0, HALF);
  }
}
