import { systemContext } from '../../commands/context.ts';
import { DeclareTruncated } from '../../commands/system.commands.ts';
import { repairTiles } from '../../ledger/sealer/repair-tiles.ts';
import { measureTruncation } from '../../ledger/sealer/truncation.ts';
import { describeCheckpoint } from '../../ledger/store/ledger-store.ts';
import { TileTree } from '../../ledger/verify/tile-tree.ts';
import type { CliAction, CliCommand } from '../command.ts';
import { confirm } from '../terminal.ts';
import { withParts } from '../with-parts.ts';

const status: CliAction = {
  about: 'Show how far the log is sealed, and whether sealing is stopped',
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

const mend: CliAction = {
  about: 'Recompute damaged tiles from the log, if the log matches the signed checkpoints',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal, log, pool }) => {
      const mended = await repairTiles({ pool, store: seal.store, log });
      output.result(mended, mended.kind === 'mended' ? `${String(mended.tiles)} tiles recomputed.` : `Not repaired: ${mended.reason}`);
      return mended.kind === 'mended' ? 0 : 1;
    }),
};

const keys: CliAction = {
  about: 'List the verifier keys, newest first',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const listed = await seal.ledger.verifierKeys();
      output.result({ keys: listed }, listed.join('\n'));
      return 0;
    }),
};

const rotate: CliAction = {
  about: 'Create a new key; both keys sign until the old one is retired',
  run: ({ output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const key = await seal.keys.rotate();
      output.result({ key }, key);
      return 0;
    }),
};

const retire: CliAction = {
  about: 'Stop signing with a key; it stays listed, because its signatures remain valid',
  args: ['VKEY'],
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ seal }) => {
      const [key = ''] = input.args;
      const retired = await seal.keys.retire(key);
      output.result({ key, retired }, retired ? 'Retired.' : 'Not retired: the key does not sign, or is the only one that does.');
      return retired ? 0 : 1;
    }),
};

const declareTruncated: CliAction = {
  about: 'After a restore: declare in the log, for every reader, that sealed events are lost, so that sealing continues',
  options: {
    reason: { type: 'string', value: 'TEXT', about: 'the reason, recorded in the log' },
    yes: { type: 'boolean', about: 'do not ask for confirmation' },
  },
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ seal, log, commands }) => {
      const sealed = (await seal.store.state())?.size ?? 0;
      const loss = await measureTruncation(log, new TileTree(seal.store.readTiles), sealed);
      if (loss === null) {
        output.result({ declared: false }, 'Nothing is lost: every sealed event is present and unchanged.');
        return 0;
      }
      const summary = `${String(loss.from - loss.to)} sealed events, from ${String(loss.to)} on, are missing`;
      if (!(input.flag('yes') || (await confirm(`${summary}. Declare this in the log?`)))) return 1;
      const reason = input.text('reason') ?? 'restored';
      await commands.execute(new DeclareTruncated(systemContext({ kind: 'cli', id: 'seal' }, Date.now()), { ...loss, reason }));
      output.result({ declared: true, ...loss, reason }, `Declared: ${summary}.`);
      return 0;
    }),
};

export const command: CliCommand = {
  about: 'Show and administer the seal: its state, its keys, and the recovery after a restore',
  actions: { status, mend, keys, rotate, retire, 'declare-truncated': declareTruncated },
};
