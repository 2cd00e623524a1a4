import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { type MasterKeys, WRAPPED_BY_ACTIVE } from '../../../platform/security/keyring/master-keys.ts';
import { SEAL_KEY_DISOWNED } from '../../../client/proofs/disowned-keys.ts';
import { createSigner, type Signer, signerOfSeed } from '../signer.ts';
import { originAt } from '../../../client/proofs/origin.ts';
import { parseVerifierKey, type VerifierKey } from '../../../client/proofs/signed-note.ts';

export interface SealKeysOptions {
  readonly pool: pg.Pool;
  readonly master: MasterKeys;
  /** The first origin of the log. The name of a key is the origin that it signs. */
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

/**
 * The signing keys. Retired keys stay listed, so that old checkpoints can be verified; the others sign, newest first. Each origin has keys of its own, because a trust
 * policy (C2SP tlog-policy) refuses one public key under two names.
 */
export class SealKeys {
  readonly #options: SealKeysOptions;

  constructor(options: SealKeysOptions) {
    this.#options = options;
  }

  /** Generates the first key of the origin that signs now, or lists the one from the environment. */
  async ensureKey(): Promise<void> {
    await this.#ensure(await this.#origin());
  }

  /** The signers of the origin that signs now. */
  async signers(): Promise<readonly Signer[]> {
    const origin = await this.#origin();
    return this.#signersOf((name) => name === origin);
  }

  /** Generates its first key. */
  async signersOf(origin: string): Promise<readonly Signer[]> {
    await this.#ensure(origin);
    return this.#signersOf((name) => name === origin);
  }

  /** The signers of the origins before it, while they are not retired. */
  formerSigners(origin: string): Promise<readonly Signer[]> {
    return this.#signersOf((name) => name !== origin);
  }

  async #signersOf(isWanted: (name: string) => boolean): Promise<readonly Signer[]> {
    const { given = [], master } = this.#options;
    const signers: Signer[] = [];
    const disowned = await this.disowned();
    for (const { verifier_key, wrapped, retired_at } of await this.#rows()) {
      const { name } = parseVerifierKey(verifier_key);
      if (retired_at !== null || disowned.has(verifier_key) || !isWanted(name)) continue;
      const known = given
        .map((seed) => signerOfSeed(this.#options.origin, name, seed))
        .find(({ verifierKey }) => verifierKey === verifier_key);
      if (known !== undefined) signers.push(known);
      else if (wrapped !== null) signers.push(createSigner(name, await master.unwrap(WRAPPED_AS, wrapped)));
    }
    return signers;
  }

  async #ensure(origin: string): Promise<void> {
    const { given = [] } = this.#options;
    // The previous one first: the newest key has the highest number.
    for (const seed of given.toReversed()) await this.#list(signerOfSeed(this.#options.origin, origin, seed));
    if (given.length === 0) await this.#generate(origin, { isFirst: true });
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
    return this.#generate(await this.#origin(), { isFirst: false });
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

  /** `isFirst`: only while the origin has none. The unique number keeps two instances that start together from both adding it. */
  async #generate(origin: string, { isFirst }: { readonly isFirst: boolean }): Promise<string> {
    const hasKey = async (): Promise<boolean> => (await this.#rows()).some(({ verifier_key }) => verifier_key.startsWith(`${origin}+`));
    if (isFirst && (await hasKey())) return '';
    const seed = randomBytes(32);
    const signer = createSigner(origin, seed);
    await this.#options.master.wrapping(WRAPPED_AS, seed, async ({ fingerprints, wrapped }) => {
      const { rowCount } = await this.#options.pool.query(
        `INSERT INTO ledger_key (number, verifier_key, wrapped)
         SELECT coalesce((SELECT max(number) FROM ledger_key), 0) + 1, $1, mine.wrapped FROM (${WRAPPED_BY_ACTIVE}) AS mine
         WHERE NOT ($4 AND EXISTS (SELECT FROM ledger_key WHERE starts_with(verifier_key, $5::text || '+')))
         ON CONFLICT DO NOTHING`,
        [signer.verifierKey, fingerprints, wrapped, isFirst, origin],
      );
      return rowCount === 1 || (isFirst && (await hasKey())) ? signer : undefined;
    });
    return signer.verifierKey;
  }

  async #list(signer: Signer): Promise<void> {
    await this.#options.pool.query(
      `INSERT INTO ledger_key (number, verifier_key, wrapped)
       SELECT coalesce((SELECT max(number) FROM ledger_key), 0) + 1, $1, NULL
       ON CONFLICT DO NOTHING`,
      [signer.verifierKey],
    );
  }

  async #origin(): Promise<string> {
    const { rows } = await this.#options.pool.query<{ generation: number }>('SELECT generation FROM ledger_state');
    return originAt(this.#options.origin, rows[0]?.generation ?? 0);
  }

  async #rows(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#options.pool.query<KeyRow>(
      'SELECT number, verifier_key, wrapped, retired_at FROM ledger_key ORDER BY number DESC',
    );
    return rows;
  }
}
