import { createHmac } from 'node:crypto';
import type pg from 'pg';
import { inTransaction } from '../../postgres/transaction.ts';

/** The keys that rotate with two in use at a time. The keys of the seal are in `ledger_key`. */
export type RotatingKeyName = 'master' | 'jwt' | 'vapid';
/** `previous`: still accepted. `retired`: refused. */
export type KeyState = 'active' | 'previous' | 'retired';

export interface KnownKey {
  readonly fingerprint: string;
  readonly state: KeyState;
  readonly since: Date;
}

/** Names a key without revealing it. */
export const fingerprintOf = (name: RotatingKeyName, key: Uint8Array): string =>
  createHmac('sha256', key).update(`watchledger ${name} key`).digest('hex').slice(0, 16);

/** Which key is in use: one decision for all instances, whatever their configuration lists first. */
export class KeyStates {
  constructor(private readonly pool: pg.Pool) {}

  async of(name: RotatingKeyName): Promise<readonly KnownKey[]> {
    const { rows } = await this.pool.query<KnownKey>({
      name: 'key-states',
      text: 'SELECT fingerprint, state, since FROM installation_key WHERE name = $1 ORDER BY since DESC',
      values: [name],
    });
    return rows;
  }

  /** The first key of an installation; false when there is one already. */
  async begin(name: RotatingKeyName, fingerprint: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `INSERT INTO installation_key (name, fingerprint, state) VALUES ($1, $2, 'active') ON CONFLICT DO NOTHING`,
      [name, fingerprint],
    );
    return rowCount === 1;
  }

  /** From now on every instance uses this key, and accepts the one before. False when that one is not in use, or when a rotation is unfinished. */
  rotate(name: RotatingKeyName, from: string, to: string): Promise<boolean> {
    return inTransaction(this.pool, (client) => rotateKey(client, name, from, to));
  }

  /** The previous key is refused from now on. */
  async retirePrevious(name: RotatingKeyName): Promise<void> {
    await this.pool.query(
      `UPDATE installation_key SET state = 'retired', since = clock_timestamp() WHERE name = $1 AND state = 'previous'`,
      [name],
    );
  }

  /** A configured key takes the place of one that is no longer configured, which is refused from now on. */
  async replace(name: RotatingKeyName, from: string, to: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(
        `UPDATE installation_key SET state = 'retired', since = clock_timestamp() WHERE name = $1 AND fingerprint = $2 AND state = 'active'`,
        [name, from],
      );
      if (rowCount === 1)
        await client.query(`INSERT INTO installation_key (name, fingerprint, state) VALUES ($1, $2, 'active')`, [name, to]);
    });
  }
}

/** Waits for writers that hold the active key (`FOR SHARE`). */
export async function rotateKey(client: pg.ClientBase, name: RotatingKeyName, from: string, to: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE installation_key SET state = 'previous', since = clock_timestamp()
     WHERE name = $1 AND fingerprint = $2 AND state = 'active'
       AND NOT EXISTS (SELECT FROM installation_key WHERE name = $1 AND (state = 'previous' OR fingerprint = $3))`,
    [name, from, to],
  );
  if (rowCount !== 1) return false;
  await client.query(`INSERT INTO installation_key (name, fingerprint, state) VALUES ($1, $2, 'active')`, [name, to]);
  return true;
}
