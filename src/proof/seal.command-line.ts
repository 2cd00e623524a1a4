import { repairTiles } from './seal/sealer/repair-tiles.ts';
import { describeCheckpoint } from './seal/store/ledger-store.ts';
import { originAt } from '../client/proofs/origin.ts';
import type { CliAction, CliCommand } from '../platform/cli/command.ts';
import { WATCH, watched } from '../platform/cli/watched.ts';
import { withResources } from '../app/with-parts.ts';
import { declareLoss } from './command-line/declare-truncated.action.ts';
import { disown } from './command-line/disown.action.ts';
import { knownCheckpoints } from './command-line/known-checkpoints.ts';

const status: CliAction = {
  about: 'Show how far the log is sealed, and whether sealing is stopped',
  options: WATCH,
  run: ({ input, output, config: read }) => {
    const config = read();
    return withResources(config, output, (resources) =>
      watched(input, output, async (shown) => {
        const { seal, log } = resources;
        await knownCheckpoints(resources, config, shown);
        const contradiction = await seal.guard.contradiction();
        const [state, latest, head] = [await seal.store.state(), await seal.store.currentCheckpoint(), await log.head()];
        const { size = 0, generation = 0 } = state ?? {};
        const origin = originAt(seal.origin, generation);
        const stopped = state?.stopped ?? contradiction?.reason ?? null;
        const signed = latest === null ? null : { number: latest.number, size: latest.size, signedAt: latest.signedAt.toISOString() };
        shown.result({ origin, events: head + 1, sealed: size, checkpoint: signed, stopped }, () =>
          [
            `${origin}: ${String(size)} of ${String(head + 1)} events sealed`,
            latest === null ? 'nothing signed yet' : `${describeCheckpoint(latest)}, signed ${latest.signedAt.toISOString()}`,
            ...(stopped === null ? [] : [`STOPPED: ${stopped}`]),
          ].join('\n'),
        );
        return stopped === null ? 0 : 1;
      }),
    );
  },
};

const mend: CliAction = {
  about: 'Recompute damaged tiles from the log, if the log matches the signed checkpoints',
  run: ({ output, config }) =>
    withResources(config(), output, async ({ seal, log, pool }) => {
      const mended = await repairTiles({ pool, store: seal.store, log });
      output.result(mended, mended.kind === 'mended' ? `${String(mended.tiles)} tiles recomputed.` : `Not repaired: ${mended.reason}`);
      return mended.kind === 'mended' ? 0 : 1;
    }),
};

const keys: CliAction = {
  about: 'List the verifier keys, newest first',
  options: WATCH,
  run: ({ input, output, config }) =>
    withResources(config(), output, ({ seal }) =>
      watched(input, output, async (shown) => {
        const [listed, disowned] = [(await seal.keys.listed()).map(({ text }) => text), await seal.keys.disowned()];
        const lines = listed.map((key) => (disowned.has(key) ? `${key} (disowned beyond ${String(disowned.get(key))} events)` : key));
        shown.result({ keys: listed, disowned: Object.fromEntries(disowned) }, lines.join('\n'));
        return 0;
      }),
    ),
};

const rotate: CliAction = {
  about: 'Create a new key; both keys sign until the old one is retired',
  run: ({ output, config }) =>
    withResources(config(), output, async ({ seal }) => {
      const key = await seal.keys.rotate();
      output.result({ key }, key);
      return 0;
    }),
};

const retire: CliAction = {
  about: 'Stop signing with a key; it stays listed, because its signatures remain valid',
  args: ['VKEY'],
  run: ({ input, output, config }) =>
    withResources(config(), output, async ({ seal }) => {
      const [key = ''] = input.args;
      const retired = await seal.keys.retire(key);
      output.result({ key, retired }, retired ? 'Retired.' : 'Not retired: the key does not sign, or is the only one that does.');
      return retired ? 0 : 1;
    }),
};

export const command: CliCommand = {
  about: 'Show and administer the seal: its state, its keys, and the recovery after a restore',
  actions: { status, mend, keys, rotate, retire, disown, 'declare-truncated': declareLoss },
};
