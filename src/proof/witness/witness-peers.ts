import type pg from 'pg';
import { parseVerifierKey, parseWitnessKey, type VerifierKey } from '../../client/proofs/signed-note.ts';

/** Another party that this installation exchanges checkpoints with, as an operator agreed in the log. */
export interface WitnessPeer {
  /** Submission prefix of its witness: checkpoints of this log go to `<url>/add-checkpoint`. */
  readonly url: string;
  /** The key of its cosignatures; null when it does not cosign this log. */
  readonly witnessKey: VerifierKey | null;
  /** The keys of the log that this installation witnesses in turn; empty when there is none. */
  readonly logKeys: readonly VerifierKey[];
}

interface AgreementRow {
  readonly type: 'WitnessPeerAdded' | 'WitnessPeerRemoved';
  readonly url: string;
  readonly witness_key: string | null;
  readonly log_keys: readonly string[] | null;
}

/** The agreements that are in force, read from the log itself. The last event of an address counts. */
export async function witnessPeers(pool: Pick<pg.Pool, 'query'>): Promise<readonly WitnessPeer[]> {
  const { rows } = await pool.query<AgreementRow>({
    name: 'witness-peers',
    text: `SELECT type, data::json ->> 'url' AS url, data::json ->> 'witnessKey' AS witness_key, data::json -> 'logKeys' AS log_keys
           FROM log WHERE stream = 'system' AND type IN ('WitnessPeerAdded', 'WitnessPeerRemoved') ORDER BY revision`,
  });
  const peers = new Map<string, WitnessPeer>();
  for (const { type, url, witness_key, log_keys } of rows) {
    if (type === 'WitnessPeerRemoved') peers.delete(url);
    else
      peers.set(url, {
        url,
        witnessKey: witness_key === null ? null : parseWitnessKey(witness_key),
        logKeys: (log_keys ?? []).map(parseVerifierKey),
      });
  }
  return [...peers.values()];
}

/** The keys under which checkpoints of a log are cosigned. */
export const logKeysOf = (peers: readonly WitnessPeer[], origin: string): readonly VerifierKey[] =>
  peers.flatMap(({ logKeys }) => logKeys.filter(({ name }) => name === origin));
