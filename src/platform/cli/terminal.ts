import { createInterface } from 'node:readline/promises';
import { StartRefused } from '../../kernel/start-refused.ts';

// oxlint-disable-next-line no-control-regex -- control characters are what is shown
const DANGEROUS = /\u001b(?!\[\d{1,2}m)|[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Terminal injection: names and messages of others may move the cursor, rename the window or turn text around. Such characters are spelled out; colours stay. */
export const harmlessText = (text: string): string =>
  text.replaceAll(DANGEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Ctrl-C aborts the signal, so that the work can clean up. A second one is ignored: terminal and npm both deliver the first. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const closing = new AbortController();
  const interrupt = (): void => {
    closing.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(closing.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** Asks for a confirmation on the terminal; without a terminal the command line must contain --yes. */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new StartRefused('standard input is not a terminal: repeat with --yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
