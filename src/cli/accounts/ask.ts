import { createInterface } from 'node:readline/promises';
import { StartRefused } from '../../kernel/start-refused.ts';

/** Asks a person; where there is none, the answer has to stand on the command line. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartRefused('nobody is there to ask: repeat with --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
