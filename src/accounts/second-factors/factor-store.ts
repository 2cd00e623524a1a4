import { Injectable } from '@nestjs/common';
import pg from 'pg';

/** The secret of an authenticator app, sealed with the key of its account. */
export interface TotpRow {
  readonly factorId: string;
  readonly secret: string;
}

export interface PasskeyRow {
  readonly factorId: string;
  readonly userId: number;
  readonly credentialId: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
  readonly counter: number;
  readonly transports: readonly string[];
}

/** An authenticator app must be confirmed within this time. */
const ENROLMENT_MINUTES = 15;

/** The secrets of second factors, beside the log so that they can be deleted. A row is good only while the log says that its factor is in force. */
@Injectable()
export class FactorStore {
  constructor(private readonly pool: pg.Pool) {}

  /** Answers the stored secret: a repeat shows the first one. Replaces what was begun before and never confirmed. */
  async beginTotp(userId: number, factorId: string, secret: string): Promise<string | null> {
    await this.pool.query(`DELETE FROM second_factor WHERE user_id = $1 AND kind = 'totp' AND confirmed_at IS NULL AND factor_id <> $2`, [
      userId,
      factorId,
    ]);
    const { rows } = await this.pool.query<{ secret: string }>(
      `INSERT INTO second_factor AS known (factor_id, user_id, kind, secret) VALUES ($1, $2, 'totp', $3)
       ON CONFLICT (factor_id) DO UPDATE SET secret = known.secret WHERE known.user_id = $2 AND known.confirmed_at IS NULL RETURNING secret`,
      [factorId, userId, secret],
    );
    return rows[0]?.secret ?? null;
  }

  /** Answers null when the factor was begun too long ago, was replaced, or belongs to another account. */
  async begunTotp(userId: number, factorId: string): Promise<TotpRow | null> {
    const { rows } = await this.pool.query<TotpRow>(
      `SELECT factor_id AS "factorId", secret FROM second_factor
       WHERE factor_id = $1 AND user_id = $2 AND kind = 'totp' AND made_at > now() - make_interval(mins => $3)`,
      [factorId, userId, ENROLMENT_MINUTES],
    );
    return rows[0] ?? null;
  }

  async totpsOf(userId: number): Promise<readonly TotpRow[]> {
    const { rows } = await this.pool.query<TotpRow>(
      `SELECT factor_id AS "factorId", secret FROM second_factor WHERE user_id = $1 AND kind = 'totp' AND confirmed_at IS NOT NULL`,
      [userId],
    );
    return rows;
  }

  /** Accepts a code of this step once, over all instances; false: this step or a later one was accepted before. */
  async acceptStep(factorId: string, step: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE second_factor SET last_step = $2, last_used_at = now(), confirmed_at = coalesce(confirmed_at, now())
       WHERE factor_id = $1 AND last_step < $2`,
      [factorId, step],
    );
    return rowCount === 1;
  }

  /** Answers false when this or another account has the credential already. */
  async addPasskey({ factorId, userId, credentialId, publicKey, counter, transports }: PasskeyRow): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO second_factor AS known (factor_id, user_id, kind, credential_id, public_key, counter, transports, confirmed_at)
       VALUES ($1, $2, 'passkey', $3, $4, $5, $6, now())
       ON CONFLICT (credential_id) DO UPDATE SET counter = known.counter WHERE known.factor_id = $1`,
      [factorId, userId, credentialId, Buffer.from(publicKey), counter, transports],
    );
    return rowCount === 1;
  }

  async passkey(credentialId: string): Promise<PasskeyRow | null> {
    const { rows } = await this.pool.query<StoredPasskey>(`${PASSKEYS} credential_id = $1`, [credentialId]);
    return rows[0] === undefined ? null : passkeyOf(rows[0]);
  }

  async passkeysOf(userId: number): Promise<readonly PasskeyRow[]> {
    const { rows } = await this.pool.query<StoredPasskey>(`${PASSKEYS} user_id = $1`, [userId]);
    return rows.map(passkeyOf);
  }

  /** Takes a signature counter over, over all instances; false: it did not grow. Authenticators without a counter always send 0. */
  async advanceCounter(factorId: string, counter: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE second_factor SET counter = $2, last_used_at = now() WHERE factor_id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))`,
      [factorId, counter],
    );
    return rowCount === 1;
  }

  async lastUses(userId: number): Promise<ReadonlyMap<string, Date>> {
    const { rows } = await this.pool.query<{ factor_id: string; last_used_at: Date }>(
      'SELECT factor_id, last_used_at FROM second_factor WHERE user_id = $1 AND last_used_at IS NOT NULL',
      [userId],
    );
    return new Map(rows.map((row) => [row.factor_id, row.last_used_at]));
  }

  async forget(userId: number, factorId: string): Promise<void> {
    await this.pool.query('DELETE FROM second_factor WHERE user_id = $1 AND factor_id = $2', [userId, factorId]);
  }

  async forgetAll(userId: number): Promise<void> {
    await this.pool.query('DELETE FROM second_factor WHERE user_id = $1', [userId]);
  }
}

interface StoredPasskey extends Omit<PasskeyRow, 'publicKey' | 'counter'> {
  readonly publicKey: Buffer;
  readonly counter: string;
}

const PASSKEYS = `
  SELECT factor_id AS "factorId", user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", counter, transports
  FROM second_factor WHERE kind = 'passkey' AND`;

const passkeyOf = ({ publicKey, counter, ...row }: StoredPasskey): PasskeyRow => ({
  ...row,
  publicKey: new Uint8Array(publicKey),
  counter: Number(counter),
});
