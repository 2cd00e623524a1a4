import { createHmac, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { unwrap, wrap } from './wrap.ts';

/** What an installation keeps to itself. `object-ids` makes ids unguessable, `look-up` hashes e-mail addresses, `requests` what was asked. */
export type SecretName = 'object-ids' | 'jwt' | 'vapid' | 'look-up' | 'badge-links' | 'requests';

export interface Secrets {
  /** Made at first use, the same on every instance and for ever. `make` says what it looks like when it is more than 32 random bytes. */
  secret(name: SecretName, make?: () => Uint8Array): Promise<Buffer>;
}

/** Injection token. */
export const SECRETS = Symbol('Secrets');

/** In the table `installation_secrets`, wrapped by the master key; a secret that the environment gives is never stored. */
export class PostgresSecrets implements Secrets {
  private readonly known = new Map<SecretName, Promise<Buffer>>();

  constructor(
    private readonly pool: pg.Pool,
    private readonly master: Uint8Array,
    private readonly given: Readonly<Partial<Record<SecretName, Buffer | undefined>>> = {},
  ) {}

  secret(name: SecretName, make: () => Uint8Array = () => randomBytes(32)): Promise<Buffer> {
    const given = this.given[name];
    if (given !== undefined) return Promise.resolve(given);
    let loading = this.known.get(name);
    if (loading === undefined) {
      loading = this.load(name, make);
      this.known.set(name, loading);
      loading.catch(() => this.known.delete(name));
    }
    return loading;
  }

  private async load(name: SecretName, make: () => Uint8Array): Promise<Buffer> {
    const { rows } = await this.pool.query<{ wrapped: Buffer }>(
      `INSERT INTO installation_secrets AS known (name, wrapped) VALUES ($1, $2)
       ON CONFLICT (name) DO UPDATE SET wrapped = known.wrapped
       RETURNING wrapped`,
      [name, wrap(this.master, name, make())],
    );
    const wrapped = rows[0]?.wrapped;
    if (wrapped === undefined) throw new Error(`the secret ${name} could not be read back`);
    return unwrap(this.master, name, wrapped);
  }
}

/** How an e-mail address is looked up without being kept: equal for addresses that differ in case or surrounding white space only. */
export const emailHash = (lookUpSecret: Uint8Array, email: string): string =>
  createHmac('sha256', lookUpSecret).update(email.trim().normalize('NFC').toLowerCase()).digest('hex');
