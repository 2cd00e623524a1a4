import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { randomToken, tokenHash } from './sealed-sign-in.ts';

export interface SignInCode {
  readonly userId: number;
  /** `confirm`: a re-authentication, which gives no token. */
  readonly purpose: 'sign-in' | 'confirm';
  /** When the person proved to the provider who they are; null: it did not say. */
  readonly authenticatedAt: Date | null;
}

const VALID_SECONDS = 120;

/** One-time codes that a finished sign-in is exchanged with. The table holds hashes of a code and of what its recipient has to know besides. */
@Injectable()
export class SignInCodes {
  constructor(private readonly pool: pg.Pool) {}

  /** `binding`: a hash of the secret that only the recipient has. */
  async create({ userId, purpose, authenticatedAt }: SignInCode, binding: string): Promise<string> {
    const code = randomToken();
    await this.pool.query(
      `INSERT INTO sign_in_codes (hash, user_id, purpose, binding, authenticated_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [tokenHash(code), userId, purpose, binding, authenticatedAt, VALID_SECONDS],
    );
    return code;
  }

  /** Uses it up, also where the binding or the purpose is another. Null: not valid. */
  async use(code: string, binding: string, purpose: SignInCode['purpose']): Promise<SignInCode | null> {
    const { rows } = await this.pool.query<{ user_id: number; purpose: string; binding: string; authenticated_at: Date | null }>(
      'DELETE FROM sign_in_codes WHERE hash = $1 AND expires_at > now() RETURNING user_id, purpose, binding, authenticated_at',
      [tokenHash(code)],
    );
    const row = rows[0];
    if (row?.binding !== binding || row.purpose !== purpose) return null;
    return { userId: row.user_id, purpose, authenticatedAt: row.authenticated_at };
  }

  async forgetExpired(): Promise<void> {
    await this.pool.query('DELETE FROM sign_in_codes WHERE expires_at < now()');
  }
}
