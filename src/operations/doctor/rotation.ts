import type pg from 'pg';
import type { Config } from '../../platform/config/config.ts';
import { fingerprintOf, type KnownKey, type RotatingKeyName } from '../../platform/security/keyring/key-states.ts';
import { signerOfSeed } from '../../proof/seal/signer.ts';
import { SEAL_KEY_DISOWNED } from '../../client/proofs/disowned-keys.ts';
import { parseVerifierKey } from '../../client/proofs/signed-note.ts';
import { findMasterKeys } from '../../platform/security/keyring/master-key.ts';
import { type Diagnosis, ok, warn } from './finding.ts';

type State = Pick<KnownKey, 'fingerprint' | 'state'> & { readonly name: RotatingKeyName };

/** Rotations that are unfinished, and previous keys that are configured although nothing needs them. */
export async function examineRotation(client: pg.Client, config: Config): Promise<readonly Diagnosis[]> {
  const { rows: known } = await client.query<{ there: boolean }>(`SELECT to_regclass('installation_key') IS NOT NULL AS there`);
  if (known[0]?.there !== true) return [];
  const { rows } = await client.query<State>('SELECT name, fingerprint, state FROM installation_key');
  const [, master] = await findMasterKeys(config);
  const findings = [
    ...rows.filter(({ state }) => state === 'previous').map(({ name }) => unfinished(name)),
    ...unneeded('master', master, rows),
    ...unneeded('jwt', config.jwtKeyPrevious, rows),
    ...(await examineSealKeys(client, config.sealKeyPrevious)),
  ];
  return findings.length > 0 ? findings : [ok('rotation', 'no key is being rotated')];
}

interface SealKeyRow {
  readonly verifier_key: string;
  readonly signs: boolean;
}

async function examineSealKeys(client: pg.Client, previous: Uint8Array | undefined): Promise<readonly Diagnosis[]> {
  const { rows } = await client.query<SealKeyRow>(
    `SELECT verifier_key, retired_at IS NULL AND verifier_key NOT IN (
       SELECT data::json ->> 'key' FROM log WHERE stream = 'system' AND type = $1 AND data::json ->> 'key' IS NOT NULL
     ) AS signs FROM ledger_key ORDER BY number`,
    [SEAL_KEY_DISOWNED],
  );
  const [oldest, ...newer] = rows.filter(({ signs }) => signs);
  const { rows: states } = await client.query<{ origin: string }>('SELECT origin FROM ledger_state');
  const first = states[0]?.origin ?? '';
  const isOfPrevious = (key: string): boolean =>
    previous !== undefined && signerOfSeed(first, parseVerifierKey(key).name, previous).verifierKey === key;
  const isUsed = rows.some(({ verifier_key, signs }) => signs && isOfPrevious(verifier_key));
  return [
    ...(previous === undefined || isUsed
      ? []
      : [warn('rotation', 'SEAL_KEY_PREVIOUS is configured although nothing uses it', 'remove SEAL_KEY_PREVIOUS')]),
    ...(oldest === undefined || newer.length === 0
      ? []
      : [
          warn(
            'rotation',
            'the rotation of the key of the seal is unfinished: more than one key signs',
            `when auditors have the new key: watchledger seal retire ${oldest.verifier_key}`,
          ),
        ]),
  ];
}

const unfinished = (name: RotatingKeyName): Diagnosis =>
  warn(
    'rotation',
    `the rotation of the key ${name} is unfinished`,
    name === 'master' ? 'repeat: watchledger keys rotate master' : `when nothing needs the previous key: watchledger keys retire ${name}`,
  );

function unneeded(name: 'master' | 'jwt', previous: Uint8Array | undefined, rows: readonly State[]): readonly Diagnosis[] {
  if (previous === undefined) return [];
  const state = rows.find((row) => row.name === name && row.fingerprint === fingerprintOf(name, previous))?.state;
  if (state === 'active' || state === 'previous') return [];
  const variable = `${name.toUpperCase()}_KEY_PREVIOUS`;
  return [
    warn(
      'rotation',
      `${variable} is configured although nothing uses it`,
      name === 'master' ? `remove ${variable}, or master.key.previous; keep the key as long as backups made with it` : `remove ${variable}`,
    ),
  ];
}
