import { createInterface } from 'node:readline/promises';
import { StartRefused } from '../../kernel/start-refused.ts';

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
