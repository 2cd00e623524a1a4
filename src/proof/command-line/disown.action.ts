import { systemContext } from '../../platform/commands/context.ts';
import { DisownSealKey } from '../../history/system.commands.ts';
import { openCheckpoint, parseCheckpoint } from '../../client/proofs/checkpoint.ts';
import { parseNote, parseVerifierKey } from '../../client/proofs/signed-note.ts';
import type { CliAction } from '../../platform/cli/command.ts';
import { confirm } from '../../platform/cli/terminal.ts';
import { withParts } from '../../app/with-parts.ts';

export const disown: CliAction = {
  about: 'After a leak: declare in the log, for every reader, that signatures of a key prove nothing from now on; it no longer signs',
  args: ['VKEY'],
  options: {
    reason: { type: 'string', value: 'TEXT', about: 'the reason, recorded in the log' },
    yes: { type: 'boolean', about: 'do not ask for confirmation' },
  },
  run: ({ input, output, config }) =>
    withParts(config(), output, async ({ seal, commands }) => {
      const [key = ''] = input.args;
      const refuse = (why: string): number => {
        output.result({ key, disowned: false }, `Not disowned: ${why}.`);
        return 1;
      };
      const trusted = await seal.keys.trusted();
      if (!trusted.some(({ text }) => text === key)) return refuse('the key is not listed, or was disowned before');
      const latest = await seal.store.currentCheckpoint();
      const others = trusted.filter(({ text }) => text !== key);
      // What the leaked key signed before it is anchored by this checkpoint.
      if (latest === null || openCheckpoint(latest.note, others).kind !== 'open')
        return refuse('the newest checkpoint has no signature of another key; run `watchledger seal rotate`, and wait for one');
      // An origin that ended may have had more events.
      const { name } = parseVerifierKey(key);
      const ended = (await seal.ledger.origins()).find(({ origin }) => origin === name)?.checkpoint ?? '';
      const after = Math.max(latest.size, parseCheckpoint(parseNote(ended)?.text ?? '')?.size ?? 0);
      if (
        !(
          input.flag('yes') ||
          (await confirm(`Signatures of ${key} count for nothing beyond ${String(after)} events. Declare this in the log?`))
        )
      )
        return 1;
      const reason = input.text('reason') ?? 'leaked';
      await commands.execute(
        new DisownSealKey(systemContext({ kind: 'cli', id: 'seal' }, Date.now()), { disowned: { key, after, reason } }),
      );
      output.result(
        { key, disowned: true, after, reason },
        `Disowned: of checkpoints over more than ${String(after)} events its signatures count for nothing.`,
      );
      return 0;
    }),
};
