import { createHmac, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { unwrap, wrap } from './wrap.ts';

/** The secrets of an installation. `object-ids` makes ids unguessable, `look-up` hashes e-mail addresses, `requests` hashes request bodies. */
export type SecretName = 'object-ids' | 'jwt' | 'vapid' | 'look-up' | 'badge-links' | 'requests';

export interface Secrets {
  /** Generated at first use, then the same on every instance and permanently. `generate` defaults to 32 random bytes. */
  secret(name: SecretName, generate?: () => Uint8Array): Promise<Buffer>;
}

/** Injection token. */
export const SECRETS = Symbol('Secrets');

/** Envelope encryption: the table `installation_secrets` holds them wrapped by the master key. A secret from the environment is never stored. */
export class PostgresSecrets implements Secrets {
  private readonly known = new Map<SecretName, Promise<Buffer>>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly master: Uint8Array,
    private readonly given: Readonly<Partial<Record<SecretName, Buffer | undefined>>> = {},
  ) {}

  secret(name: SecretName, generate: () => Uint8Array = () => randomBytes(32)): Promise<Buffer> {
    const given = this.given[name];
    if (given !== undefined) return Promise.resolve(given);
    let loading = this.known.get(name);
    if (loading === undefined) {
      loading = this.load(name, generate);
      this.known.set(name, loading);
      loading.catch(() => this.known.delete(name));
    }
    return loading;
  }

  private async load(name: SecretName, generate: () => Uint8Array): Promise<Buffer> {
    const { rows } = await this.pool.query<{ wrapped: Buffer }>(
      `INSERT INTO installation_secrets AS known (name, wrapped) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET wrapped = known.wrapped
       RETURNING wrapped`,
      [name, wrap(this.master, name, generate())],
    );
    const wrapped = rows[0]?.wrapped;
    if (wrapped === undefined) throw new Error(`the secret ${name} could not be read back`);
    return unwrap(this.master, name, wrapped);
  }
}

/** A keyed hash (HMAC-SHA256), so that an e-mail address can be looked up without being stored; ignores case and surrounding white space. */
export const emailHash = (lookUpSecret: Uint8Array, email: string): string =>
  createHmac('sha256', lookUpSecret).update(email.trim().normalize('NFC').toLowerCase()).digest('hex');
