import type pg from 'pg';
import { MasterKeys } from '../../src/platform/security/keyring/master-keys.ts';
import type { RotatingSecret } from '../../src/platform/security/keyring/rotating-secret.ts';

/** The master keys of an instance with this configuration, the newest first. */
export const masterKeys = (pool: pg.Pool, ...keys: readonly Uint8Array[]): MasterKeys => new MasterKeys(pool, () => Promise.resolve(keys));

/** One key for tokens, without a rotation. */
export function oneTokenKey(): Pick<RotatingSecret, 'accepted' | 'active'> {
  const active = { fingerprint: 'one', key: Buffer.alloc(32, 1), state: 'active' } as const;
  return { active, accepted: () => Promise.resolve([active]) };
}
