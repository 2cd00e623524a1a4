import type pg from 'pg';
import type { Config } from '../config.ts';
import { fingerprintOf, type KnownKey, type RotatingKeyName } from '../security/keyring/key-states.ts';
import { findMasterKeys } from '../security/keyring/master-key.ts';
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
  ];
  return findings.length > 0 ? findings : [ok('rotation', 'no key is being rotated')];
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
