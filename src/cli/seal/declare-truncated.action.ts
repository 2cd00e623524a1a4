import { systemContext } from '../../commands/context.ts';
import { DeclareTruncated } from '../../commands/system.commands.ts';
import { measureTruncation } from '../../ledger/sealer/truncation.ts';
import { TileTree } from '../../ledger/verify/tile-tree.ts';
import { confirm } from '../accounts/ask.ts';
import type { CliAction } from '../command.ts';
import { withParts } from '../with-parts.ts';

export const declareTruncated: CliAction = {
  about: 'After a restore: declare in the log that sealed events are lost, so that sealing goes on. Everybody will see it',
  options: {
    reason: { type: 'string', value: 'TEXT', about: 'why, for those who read it later' },
    yes: { type: 'boolean', about: 'do not ask' },
  },
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ seal, log, commands }) => {
      const sealed = (await seal.store.state())?.size ?? 0;
      const loss = await measureTruncation(log, new TileTree(seal.store.readTiles), sealed);
      if (loss === null) {
        output.result({ declared: false }, 'Nothing is lost: every sealed event is there as it was sealed.');
        return 0;
      }
      const words = `${String(loss.from - loss.to)} sealed events, from ${String(loss.to)} on, are not there any more`;
      if (!(input.flag('yes') || (await confirm(`${words}. Declare this in the log?`)))) return 1;
      const reason = input.text('reason') ?? 'restored';
      await commands.execute(new DeclareTruncated(systemContext({ kind: 'cli', id: 'seal' }, Date.now()), { ...loss, reason }));
      output.result({ declared: true, ...loss, reason }, `Declared: ${words}.`);
      return 0;
    }),
};
