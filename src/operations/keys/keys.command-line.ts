import type { Resources } from '../../app/resources.ts';
import type { Config } from '../../platform/config/config.ts';
import { fingerprintOf, KeyStates, type KnownKey, type RotatingKeyName } from '../../platform/security/keyring/key-states.ts';
import { findMasterKeys, renewMasterKeyFile } from '../../platform/security/keyring/master-key.ts';
import { countWraps, rotateMasterKey } from '../../platform/security/keyring/rewrap.ts';
import { type CliAction, type CliCommand, type CliInput, WrongUse } from '../../platform/cli/command.ts';
import { Progress } from '../../platform/cli/progress.ts';
import { WATCH, watched } from '../../platform/cli/watched.ts';
import { withResources } from '../../app/with-parts.ts';

const NAMES = ['master', 'jwt', 'vapid'] as const satisfies readonly RotatingKeyName[];

function nameIn(input: CliInput): RotatingKeyName {
  const [given = ''] = input.args;
  const name = NAMES.find((known) => known === given);
  if (name === undefined) throw new WrongUse(`NAME: must be one of ${NAMES.join(', ')}; the keys of the seal: watchledger seal keys`);
  return name;
}

const status: CliAction = {
  about: 'Show which keys are in use, and what a rotation has left to do; exits with 1 while one is unfinished',
  options: WATCH,
  run: ({ input, output, config: read }) => {
    const config = read();
    return withResources(config, output, ({ pool }) =>
      watched(input, output, async (shown) => {
        const states = new KeyStates(pool);
        const keys: (KnownKey & { readonly name: RotatingKeyName })[] = [];
        for (const name of NAMES) for (const key of await states.of(name)) keys.push({ name, ...key });
        const [active, previous = null] = await findMasterKeys(config);
        const wraps = active === undefined ? null : await countWraps(pool, { active, previous });
        const unfinished = keys.some(({ state }) => state === 'previous');
        shown.result({ keys, masterWraps: wraps, unfinished }, () =>
          [
            ...keys.map(
              ({ name, fingerprint, state, since }) => `${name.padEnd(6)} ${fingerprint} ${state.padEnd(8)} since ${since.toISOString()}`,
            ),
            ...(wraps === null
              ? []
              : [
                  `wrapped keys: ${String(wraps.active)} by MASTER_KEY, ${String(wraps.previous)} by the previous one, ${String(wraps.unknown)} by neither`,
                ]),
          ].join('\n'),
        );
        return unfinished ? 1 : 0;
      }),
    );
  },
};

const rotate: CliAction = {
  about:
    'Use the new key from now on, while the previous one is still accepted; of the master key, wrap everything anew and then refuse it',
  args: ['NAME'],
  run: ({ input, output, config: read }) => {
    const name = nameIn(input);
    const config = read();
    return withResources(config, output, async (resources) => {
      if (name !== 'master') {
        const result = await resources.rotating[name].rotate();
        output.result(
          result,
          result.kind === 'rotated'
            ? `Rotated. When nothing needs the previous key any more: watchledger keys retire ${name}`
            : `Not rotated: ${result.reason}`,
        );
        return result.kind === 'rotated' ? 0 : 1;
      }
      const progress = new Progress('rewrap');
      const result = await rotateMaster(resources, config, (rows, total) => {
        progress.report(rows, total);
      }).finally(() => {
        progress.end();
      });
      const text = {
        rewrapped: () =>
          `Wrapped ${String('rows' in result ? result.rows : 0)} keys anew. The previous master key is refused from now on; keep it as long as backups made with it.`,
        'nothing to do': () => 'Nothing to do: the configured master key is in use, and no rotation is unfinished.',
        refused: () => `Not rotated: ${'reason' in result ? result.reason : ''}`,
      };
      output.result(result, text[result.kind]);
      return result.kind === 'refused' ? 1 : 0;
    });
  },
};

/** Makes a new key where it is a file; running instances read it when they meet a row wrapped by it. */
async function rotateMaster({ pool }: Pick<Resources, 'pool'>, config: Config, onProgress: (rows: number, total: number) => void) {
  const [present] = await findMasterKeys(config);
  const known = await new KeyStates(pool).of('master');
  const isActive =
    present !== undefined && known.some(({ fingerprint, state }) => state === 'active' && fingerprint === fingerprintOf('master', present));
  if (config.masterKey === undefined && isActive && known.every(({ state }) => state !== 'previous'))
    await renewMasterKeyFile(config.dataDir);
  return rotateMasterKey(pool, await findMasterKeys(config), onProgress);
}

const retire: CliAction = {
  about: 'Refuse the previous key on every instance; the master key is retired by its rotation',
  args: ['NAME'],
  run: ({ input, output, config }) => {
    const name = nameIn(input);
    if (name === 'master')
      throw new WrongUse('NAME: the previous master key is retired at the end of its rotation: watchledger keys rotate master');
    return withResources(config(), output, async ({ rotating }) => {
      const retired = await rotating[name].retire();
      output.result({ name, retired }, retired ? 'Retired.' : 'There is no previous key.');
      return retired ? 0 : 1;
    });
  },
};

export const command: CliCommand = {
  about: 'Show and rotate the keys of the installation: master, jwt and vapid (docs/keys.md)',
  actions: { status, rotate, retire },
};
