import type pg from 'pg';
import { originAt } from '../../client/proofs/origin.ts';
import { witnessPeers } from '../../proof/witness/witness-peers.ts';
import { type Diagnosis, ok, warn } from './finding.ts';

/** After a declared loss the log continues under another origin, which no witness cosigns before its operator accepts the key. */
export async function examineOrigin(client: pg.Client): Promise<readonly Diagnosis[]> {
  const { rows: known } = await client.query<{ there: boolean }>(`SELECT to_regclass('ledger_origin_end') IS NOT NULL AS there`);
  if (known[0]?.there !== true) return [];
  const { rows } = await client.query<{ origin: string; generation: number }>('SELECT origin, generation FROM ledger_state');
  const { origin: first, generation } = rows[0] ?? { origin: '', generation: 0 };
  if (generation === 0) return [];
  const { rows: cosigned } = await client.query<{ witness_key: string }>(
    'SELECT DISTINCT witness_key FROM ledger_cosignature JOIN ledger_checkpoint USING (number) WHERE generation = $1',
    [generation],
  );
  const missing = (await witnessPeers(client)).flatMap(({ url, witnessKey }) =>
    witnessKey === null || cosigned.some(({ witness_key }) => witness_key === witnessKey.text) ? [] : [url],
  );
  const found = `after a declared loss the log continues as ${originAt(first, generation)}`;
  return missing.length === 0
    ? [ok('origin', found)]
    : [warn('origin', `${found}, which is not cosigned by ${missing.join(', ')}`, 'its operator repeats: watchledger witness add URL')];
}
