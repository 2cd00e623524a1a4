import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { inTransaction } from '../../postgres/transaction.ts';
import { fingerprintOf, KeyStates, rotateKey, type RotatingKeyName } from './key-states.ts';
import { type MasterKeys, WRAPPED_BY_ACTIVE } from './master-keys.ts';

export interface AcceptedKey {
  readonly fingerprint: string;
  readonly key: Buffer;
  readonly state: 'active' | 'previous';
}

export interface RotatingSecretOptions {
  readonly pool: pg.Pool;
  readonly master: MasterKeys;
  readonly name: Exclude<RotatingKeyName, 'master'>;
  /** From the variables, the newest first; none: generated and kept in the database. */
  readonly given?: readonly Buffer[];
  readonly generate?: () => Uint8Array;
}

export type RotationResult = { readonly kind: 'rotated' } | { readonly kind: 'refused'; readonly reason: string };

/** How long a retired key may still be accepted on another instance. */
const REFRESH_MS = 900;

/** A secret with two keys during a rotation: the active one signs, the previous one is accepted. The database decides which is which. */
export class RotatingSecret {
  readonly #options: RotatingSecretOptions;
  readonly #states: KeyStates;
  #accepted: readonly AcceptedKey[] = [];
  #loadedAt = -Infinity;
  #loading: Promise<void> | undefined;

  constructor(options: RotatingSecretOptions) {
    this.#options = options;
    this.#states = new KeyStates(options.pool);
  }

  /** A key that is configured alone takes the place of the one in use, which is refused from then on: after a leak. A retired key is refused. */
  async open(): Promise<void> {
    const { name, given = [] } = this.#options;
    await this.#load();
    if (this.#active() !== undefined) return;
    const known = await this.#states.of(name);
    const active = known.find(({ state }) => state === 'active');
    const [first] = given;
    const fingerprint = first === undefined ? undefined : fingerprintOf(name, first);
    if (active === undefined || fingerprint === undefined || known.some((key) => key.fingerprint === fingerprint))
      throw new StartRefused(`${name.toUpperCase()}_KEY was retired: set it to the key in use, see docs/keys.md`);
    await this.#states.replace(name, active.fingerprint, fingerprint);
    await this.#load();
  }

  /** The active key first. */
  async accepted(): Promise<readonly AcceptedKey[]> {
    if (performance.now() - this.#loadedAt > REFRESH_MS) await (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
    return this.#accepted;
  }

  /** As of the last call of `accepted`. */
  get active(): AcceptedKey {
    const active = this.#active();
    if (active === undefined) throw new Error(`the ${this.#options.name} key in use is not configured on this instance`);
    return active;
  }

  /** For readiness. */
  async check(): Promise<void> {
    await this.accepted();
    if (this.#active() === undefined) throw new Error(`the ${this.#options.name} key in use is not configured on this instance`);
  }

  /** From now on the newest key is used, and the one before accepted. */
  async rotate(): Promise<RotationResult> {
    const { pool, name, given = [], master, generate = () => randomBytes(32) } = this.#options;
    await this.#load();
    const active = this.#active();
    if (active === undefined) return { kind: 'refused', reason: 'the key in use is not configured here' };
    if (this.#accepted.length > 1 && given.length === 0) return { kind: 'refused', reason: 'retire the previous key first' };
    const next = given.length > 0 ? given[0] : Buffer.from(generate());
    if (next === undefined || next.equals(active.key))
      return { kind: 'refused', reason: 'set the variable to a new key, and NAME_PREVIOUS to the present one, on every instance first' };
    const isRotated = await inTransaction(pool, async (client) => {
      if (!(await rotateKey(client, name, active.fingerprint, fingerprintOf(name, next)))) return false;
      if (given.length > 0) return true;
      for (const [row, key] of [[`${name}-previous`, active.key] as const, [name, next] as const]) await store(client, master, row, key);
      return true;
    });
    await this.#load();
    return isRotated
      ? { kind: 'rotated' }
      : { kind: 'refused', reason: 'the new key was in use before, or the previous one is not retired' };
  }

  /** The previous key is refused on every instance within a second. */
  async retire(): Promise<boolean> {
    const { pool, name } = this.#options;
    await this.#load();
    const isPrevious = (await this.#states.of(name)).some(({ state }) => state === 'previous');
    await this.#states.retirePrevious(name);
    await pool.query('DELETE FROM installation_secrets WHERE name = $1', [`${name}-previous`]);
    await this.#load();
    return isPrevious;
  }

  #active(): AcceptedKey | undefined {
    return this.#accepted.find(({ state }) => state === 'active');
  }

  async #load(): Promise<void> {
    const { name } = this.#options;
    const keys = await this.#keys();
    const [first] = keys;
    let known = await this.#states.of(name);
    if (known.length === 0 && first !== undefined) {
      await this.#states.begin(name, fingerprintOf(name, first));
      known = await this.#states.of(name);
    }
    const accepted = known.flatMap(({ fingerprint, state }): readonly AcceptedKey[] => {
      const key = keys.find((candidate) => fingerprintOf(name, candidate) === fingerprint);
      return key === undefined || state === 'retired' ? [] : [{ fingerprint, key, state }];
    });
    this.#accepted = accepted.toSorted((a, b) => (a.state < b.state ? -1 : 1));
    this.#loadedAt = performance.now();
  }

  async #keys(): Promise<readonly Buffer[]> {
    const { pool, master, name, given = [], generate = () => randomBytes(32) } = this.#options;
    if (given.length > 0) return given;
    const read = async (): Promise<readonly Buffer[]> => {
      const { rows } = await pool.query<{ name: string; wrapped: Buffer }>(
        'SELECT name, wrapped FROM installation_secrets WHERE name = ANY($1) ORDER BY name',
        [[name, `${name}-previous`]],
      );
      return Promise.all(rows.map((row) => master.unwrap(row.name, row.wrapped)));
    };
    const found = await read();
    if (found.length > 0) return found;
    await master.wrapping(name, generate(), async ({ fingerprints, wrapped }) => {
      const { rowCount } = await pool.query(
        `INSERT INTO installation_secrets (name, wrapped) SELECT $1, wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
         ON CONFLICT (name) DO UPDATE SET name = excluded.name`,
        [name, fingerprints, wrapped],
      );
      return rowCount === 1 ? true : undefined;
    });
    return read();
  }
}

const store = (client: pg.ClientBase, master: MasterKeys, name: string, key: Uint8Array): Promise<boolean> =>
  master.wrapping(name, key, async ({ fingerprints, wrapped }) => {
    const { rowCount } = await client.query(
      `INSERT INTO installation_secrets (name, wrapped) SELECT $1, wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
       ON CONFLICT (name) DO UPDATE SET wrapped = excluded.wrapped`,
      [name, fingerprints, wrapped],
    );
    return rowCount === 1 ? true : undefined;
  });
