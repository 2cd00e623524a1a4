import { repeatUntilAborted } from '../../kernel/abortable.ts';
import { reasonOf } from '../../kernel/system-error.ts';
import { isTransientDatabaseError } from '../postgres/transient-database-error.ts';
import type { CliInput, CliOption, CliOutput } from './command.ts';
import { interruptible } from './terminal.ts';

const [MIN_SECONDS, DEFAULT_SECONDS, MAX_SECONDS] = [0.1, 2, 3_600];

const isSeconds = (text: string): boolean => /^\d+(\.\d+)?$/.test(text) && Number(text) >= MIN_SECONDS && Number(text) <= MAX_SECONDS;

/** The option of actions that show something with `watched`. */
export const WATCH: Readonly<Record<'watch', CliOption>> = {
  watch: {
    type: 'string',
    value: 'SECONDS',
    alone: String(DEFAULT_SECONDS),
    about: `show it again every ${String(DEFAULT_SECONDS)} seconds, or as often as given, until Ctrl-C`,
    problemOf: (value) =>
      isSeconds(value) ? null : `must be a number of seconds from ${String(MIN_SECONDS)} to ${MAX_SECONDS.toLocaleString('en')}`,
  },
};

/**
 * Runs `show` once and answers its exit status; with `--watch` again and again, and answers 0, until Ctrl-C or until the reader of standard output
 * closes it. A connection that is lost after the first round is reported, and the next round tries again.
 */
export function watched(input: CliInput, output: CliOutput, show: (output: CliOutput) => Promise<number>): Promise<number> {
  const seconds = input.text('watch');
  if (seconds === undefined) return show(output);
  const inRounds = { ...output, result: output.nextResult };
  return interruptible(async (interrupted) => {
    let rounds = 0;
    await repeatUntilAborted(AbortSignal.any([interrupted, output.closed]), Number(seconds) * 1_000, async () => {
      try {
        await show(inRounds);
      } catch (error) {
        if (rounds === 0 || !isTransientDatabaseError(error)) throw error;
        output.say(`watchledger: ${reasonOf(error)}`);
      }
      rounds++;
    });
    return 0;
  });
}
