import { Injectable } from '@nestjs/common';
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import pg from 'pg';
import { Secrets } from '../../platform/security/keyring/secrets.ts';

/** What a challenge was made for, and for whom; null: for the holder of any passkey. An answer counts for nothing else. */
export interface ChallengePurpose {
  readonly purpose: 'register' | 'second factor' | 'confirm' | 'sign in';
  readonly userId: number | null;
}

export const CHALLENGE_SECONDS = 300;
const NONCE_BYTES = 16;
const TIME_BYTES = 6;

/**
 * WebAuthn challenges: a nonce and an expiry under a keyed hash, so that strangers can make the database hold nothing. That a challenge was answered is
 * stored until it expires, for all instances.
 */
@Injectable()
export class Challenges {
  constructor(
    private readonly pool: pg.Pool,
    private readonly secrets: Secrets,
  ) {}

  async create(purpose: ChallengePurpose, now = Date.now()): Promise<Buffer> {
    const head = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)]);
    head.writeUIntBE(now + CHALLENGE_SECONDS * 1000, NONCE_BYTES, TIME_BYTES);
    return Buffer.concat([head, await this.mac(head, purpose)]);
  }

  /** Whether it was made here for this purpose and has not expired. */
  async isValid(challenge: string, purpose: ChallengePurpose, now = Date.now()): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    const mac = bytes.subarray(NONCE_BYTES + TIME_BYTES);
    const expected = await this.mac(head, purpose);
    if (mac.length !== expected.length || !timingSafeEqual(mac, expected)) return false;
    return head.readUIntBE(NONCE_BYTES, TIME_BYTES) > now;
  }

  /** True for the first answer only, over all instances. */
  async takeAnswer(challenge: string): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'base64url');
    const { rowCount } = await this.pool.query(
      'INSERT INTO answered_challenge (hash, expires_at) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING',
      [createHash('sha256').update(bytes).digest('hex'), new Date(bytes.readUIntBE(NONCE_BYTES, TIME_BYTES))],
    );
    return rowCount === 1;
  }

  async forgetExpired(): Promise<void> {
    // An hour more than needed: clocks of instances differ.
    await this.pool.query(`DELETE FROM answered_challenge WHERE expires_at < now() - interval '1 hour'`);
  }

  private async mac(head: Uint8Array, { purpose, userId }: ChallengePurpose): Promise<Buffer> {
    const secret = await this.secrets.secret('second-factors');
    return createHmac('sha256', secret)
      .update(JSON.stringify(['challenge', purpose, userId]))
      .update(head)
      .digest();
  }
}
