import { createHmac, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type MasterKeys, WRAPPED_BY_ACTIVE } from './master-keys.ts';
import type { RotatingSecret } from './rotating-secret.ts';

/** The secrets that rotate with two keys at a time. */
export interface RotatingSecrets {
  /** Signs login and personal tokens. */
  readonly jwt: RotatingSecret;
  /** Signs the requests to push services. */
  readonly vapid: RotatingSecret;
}

/** Injection token. */
export const ROTATING_SECRETS = Symbol('RotatingSecrets');

/**
 * The secrets of an installation. `object-ids` makes ids unguessable, `look-up` hashes e-mail addresses, `requests` hashes request bodies, `mails` encrypts mails that wait, `second-factors`
 * recovery codes and challenges, `sign-in` seals sign-ins that are under way at a provider, `subscribers` addresses and links of subscribers of status pages, `sessions` derives the next value of a session cookie, `teams` the passwords of the database
 * roles of teams, `witness` is the key that cosigns other logs.
 */
export type SecretName =
  | 'mails'
  | 'object-ids'
  | 'look-up'
  | 'badge-links'
  | 'requests'
  | 'second-factors'
  | 'sessions'
  | 'sign-in'
  | 'subscribers'
  | 'teams'
  | 'witness';

export abstract class Secrets {
  /** 32 random bytes, generated at first use, then the same on every instance and permanently. */
  abstract secret(name: SecretName): Promise<Buffer>;
}

/** Envelope encryption: the table `installation_secrets` holds them wrapped by the master key. */
export class PostgresSecrets implements Secrets {
  private readonly known = new Map<SecretName, Promise<Buffer>>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly master: MasterKeys,
  ) {}

  secret(name: SecretName): Promise<Buffer> {
    let loading = this.known.get(name);
    if (loading === undefined) {
      loading = this.load(name);
      this.known.set(name, loading);
      loading.catch(() => this.known.delete(name));
    }
    return loading;
  }

  private async load(name: SecretName): Promise<Buffer> {
    const { wrapped } = await this.master.wrapping(name, randomBytes(32), async ({ fingerprints, wrapped: wraps }) => {
      const { rows } = await this.pool.query<{ wrapped: Buffer }>(
        `INSERT INTO installation_secrets AS known (name, wrapped) SELECT $1, wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
         ON CONFLICT (name) DO UPDATE SET wrapped = known.wrapped
         RETURNING wrapped`,
        [name, fingerprints, wraps],
      );
      return rows[0];
    });
    return this.master.unwrap(name, wrapped);
  }
}

/** A keyed hash (HMAC-SHA256), so that an e-mail address can be looked up without being stored; ignores case and surrounding white space. */
export const emailHash = (lookUpSecret: Uint8Array, email: string): string =>
  createHmac('sha256', lookUpSecret).update(email.trim().normalize('NFC').toLowerCase()).digest('hex');
