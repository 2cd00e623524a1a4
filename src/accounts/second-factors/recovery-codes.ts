import { Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { base32 } from './totp.ts';

/** 60 bits: not to be guessed, also not from the hashes without the installation's secret. */
const CHARACTERS = 12;

/** `abcd-efgh-ijkl`, as it was shown or typed. */
const normalized = (code: string): string => code.replace(/[\s-]/g, '').toUpperCase();

/** Recovery codes of accounts, by keyed hash. Which set is valid and which codes were used is in the log. */
@Injectable()
export class RecoveryCodes {
  constructor(
    private readonly pool: pg.Pool,
    private readonly secrets: Secrets,
  ) {}

  /** Follows from the set, so that a repeated command shows the same codes. */
  async codesOf(setId: string, count: number): Promise<readonly string[]> {
    const secret = await this.secrets.secret('second-factors');
    return Array.from({ length: count }, (_, place) => {
      const bytes = createHmac('sha256', secret)
        .update(JSON.stringify(['recovery code', setId, place]))
        .digest();
      return (base32(bytes).slice(0, CHARACTERS).toLowerCase().match(/.{4}/g) ?? []).join('-');
    });
  }

  async store(userId: number, setId: string, codes: readonly string[]): Promise<void> {
    const hashes = await Promise.all(codes.map((code) => this.hashOf(userId, code)));
    await this.pool.query(
      `INSERT INTO recovery_code (user_id, set_id, place, hash)
       SELECT $1, $2, place - 1, hash FROM unnest($3::text[]) WITH ORDINALITY AS given (hash, place) ON CONFLICT DO NOTHING`,
      [userId, setId, hashes],
    );
  }

  /** Its place in the set; null: not a code of it. */
  async placeOf(userId: number, setId: string, code: string): Promise<number | null> {
    const { rows } = await this.pool.query<{ place: number }>(
      'SELECT place FROM recovery_code WHERE user_id = $1 AND set_id = $2 AND hash = $3',
      [userId, setId, await this.hashOf(userId, code)],
    );
    return rows[0]?.place ?? null;
  }

  async forgetSet(userId: number, setId: string): Promise<void> {
    await this.pool.query('DELETE FROM recovery_code WHERE user_id = $1 AND set_id = $2', [userId, setId]);
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM recovery_code WHERE user_id = $1', [userId]);
  }

  private async hashOf(userId: number, code: string): Promise<string> {
    const secret = await this.secrets.secret('second-factors');
    return createHmac('sha256', secret)
      .update(JSON.stringify(['recovery hash', userId, normalized(code)]))
      .digest('hex');
  }
}
