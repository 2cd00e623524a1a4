import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type MasterKeys, WRAPPED_BY_ACTIVE } from '../../security/keyring/master-keys.ts';
import { SEAL_KEY_DISOWNED } from '../verify/disowned-keys.ts';
import { createSigner, type Signer } from '../signer.ts';
import { parseVerifierKey, type VerifierKey } from '../verify/signed-note.ts';

export interface SealKeysOptions {
  readonly pool: pg.Pool;
  readonly master: MasterKeys;
  /** Origin of the checkpoints and name of the keys. */
  readonly origin: string;
  /** `SEAL_KEY` and `SEAL_KEY_PREVIOUS`, which are never stored. */
  readonly given?: readonly Uint8Array[];
}

interface KeyRow {
  readonly number: number;
  readonly verifier_key: string;
  readonly wrapped: Buffer | null;
  readonly retired_at: Date | null;
}

const WRAPPED_AS = 'seal';

/** The signing keys. Retired keys stay listed, so that old checkpoints can be verified; the others sign, newest first. */
export class SealKeys {
  readonly #options: SealKeysOptions;

  constructor(options: SealKeysOptions) {
    this.#options = options;
  }

  /** Generates the first key, or lists the one from the environment. */
  async ensureKey(): Promise<void> {
    const { given = [] } = this.#options;
    // The previous one first: the newest key has the highest number.
    for (const seed of given.toReversed()) await this.#list(this.#signer(seed), null);
    if (given.length > 0) return;
    if ((await this.#rows()).length === 0) await this.#generate();
  }

  async signers(): Promise<readonly Signer[]> {
    const { given = [], master } = this.#options;
    const configured = given.map((seed) => this.#signer(seed));
    const signers: Signer[] = [];
    const disowned = await this.disowned();
    for (const { verifier_key, wrapped, retired_at } of await this.#rows()) {
      if (retired_at !== null || disowned.has(verifier_key)) continue;
      const known = configured.find(({ verifierKey }) => verifierKey === verifier_key);
      if (known !== undefined) signers.push(known);
      else if (wrapped !== null) signers.push(this.#signer(await master.unwrap(WRAPPED_AS, wrapped)));
    }
    return signers;
  }

  async listed(): Promise<readonly VerifierKey[]> {
    return (await this.#rows()).map(({ verifier_key }) => parseVerifierKey(verifier_key));
  }

  /** Without those that were disowned, whose signatures prove nothing any more. */
  async trusted(): Promise<readonly VerifierKey[]> {
    const disowned = await this.disowned();
    return (await this.listed()).filter(({ text }) => !disowned.has(text));
  }

  /** The log itself says which keys leaked, and beyond which number of events their signatures count for nothing. */
  async disowned(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#options.pool.query<{ key: string; after: string }>(
      `SELECT data::json ->> 'key' AS key, data::json ->> 'after' AS after FROM log WHERE stream = $1 AND type = $2 ORDER BY n DESC`,
      ['system', SEAL_KEY_DISOWNED],
    );
    return new Map(rows.map(({ key, after }) => [key, Number(after)]));
  }

  /** Adds a key. Both sign until the old one is retired, so that its verifiers see it vouch for the new one. */
  async rotate(): Promise<string> {
    return this.#generate();
  }

  /** False when there is no such key, or when no signing key would remain. */
  async retire(verifierKey: string): Promise<boolean> {
    if (!(await this.signers()).some((signer) => signer.verifierKey !== verifierKey)) return false;
    const { rowCount } = await this.#options.pool.query(
      'UPDATE ledger_key SET retired_at = clock_timestamp() WHERE verifier_key = $1 AND retired_at IS NULL',
      [verifierKey],
    );
    return rowCount === 1;
  }

  async #generate(): Promise<string> {
    const seed = randomBytes(32);
    const signer = this.#signer(seed);
    await this.#options.master.wrapping(WRAPPED_AS, seed, async ({ fingerprints, wrapped }) => {
      const { rowCount } = await this.#options.pool.query(
        `INSERT INTO ledger_key (number, verifier_key, wrapped)
         SELECT coalesce((SELECT max(number) FROM ledger_key), 0) + 1, $1, mine.wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
         ON CONFLICT DO NOTHING`,
        [signer.verifierKey, fingerprints, wrapped],
      );
      return rowCount === 1 || (await this.#rows()).length > 0 ? signer : undefined;
    });
    return signer.verifierKey;
  }

  /** The unique number keeps two instances that start together from both adding the first key. */
  async #list(signer: Signer, wrapped: Buffer | null): Promise<void> {
    await this.#options.pool.query(
      `INSERT INTO ledger_key (number, verifier_key, wrapped)
       SELECT coalesce((SELECT max(number) FROM ledger_key), 0) + 1, $1, $2
       ON CONFLICT DO NOTHING`,
      [signer.verifierKey, wrapped],
    );
  }

  #signer(seed: Uint8Array): Signer {
    return createSigner(this.#options.origin, seed);
  }

  async #rows(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#options.pool.query<KeyRow>(
      'SELECT number, verifier_key, wrapped, retired_at FROM ledger_key ORDER BY number DESC',
    );
    return rows;
  }
}
