import { describeCheckpoint } from '../../ledger/store/ledger-store.ts';
import { repairTiles } from '../../ledger/sealer/repair-tiles.ts';
import type { CliAction } from '../command.ts';
import { withParts } from '../with-parts.ts';

export const status: CliAction = {
  about: 'How far the log is sealed, and whether sealing goes on',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal, log }) => {
      const [state, latest, head] = [await seal.store.state(), await seal.store.latestCheckpoint(), await log.head()];
      const { size = 0, stopped = null } = state ?? {};
      const signed = latest === null ? null : { number: latest.number, size: latest.size, signedAt: latest.signedAt.toISOString() };
      output.result({ origin: seal.origin, events: head + 1, sealed: size, checkpoint: signed, stopped }, () =>
        [
          `${seal.origin}: ${String(size)} of ${String(head + 1)} events sealed`,
          latest === null ? 'nothing signed yet' : `${describeCheckpoint(latest)}, signed ${latest.signedAt.toISOString()}`,
          ...(stopped === null ? [] : [`STOPPED: ${stopped}`]),
        ].join('\n'),
      );
      return stopped === null ? 0 : 1;
    }),
};

export const mend: CliAction = {
  about: 'Make damaged tiles again from the log, if the log is what was signed',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal, log, pool }) => {
      const mended = await repairTiles({ pool, store: seal.store, log });
      output.result(mended, mended.kind === 'mended' ? `${String(mended.tiles)} tiles made again.` : `Not mended: ${mended.reason}`);
      return mended.kind === 'mended' ? 0 : 1;
    }),
};

export const keys: CliAction = {
  about: 'The verifier keys, the newest first',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const listed = await seal.ledger.verifierKeys();
      output.result({ keys: listed }, listed.join('\n'));
      return 0;
    }),
};

export const rotate: CliAction = {
  about: 'Make a new key. Old and new sign together until the old one is retired',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const key = await seal.keys.rotate();
      output.result({ key }, key);
      return 0;
    }),
};

export const retire: CliAction = {
  about: 'Let a key sign no more. It stays listed, because what it signed stays',
  args: ['VKEY'],
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const [key = ''] = input.args;
      const retired = await seal.keys.retire(key);
      output.result({ key, retired }, retired ? 'Retired.' : 'Not retired: it does not sign, or nobody else would.');
      return retired ? 0 : 1;
    }),
};
