import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { eventStoreEnv } from './event-store-env.ts';

const CLI = resolve(import.meta.dirname, '../../dist/cli.js');

export interface Ran {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly ran: Promise<Ran>;
  readonly interrupt: () => void;
  /** Standard output so far. */
  readonly printed: () => string;
  /** Closes the pipe that standard output goes to. */
  readonly closeOutput: () => void;
}

/** Runs `watchledger …` as a separate process with the given environment only. */
export const watchledger = (env: Readonly<Record<string, string>>, ...args: readonly string[]): Running => watchledgerIn('/', env, ...args);

/** The same, started in a folder. */
export function watchledgerIn(cwd: string, env: Readonly<Record<string, string>>, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', ...eventStoreEnv(env['DATABASE_URL']), ...env },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ran = new Promise<Ran>((done) => {
    child.once('close', (status) => {
      done({ status, out, err });
    });
  });
  return { ran, interrupt: () => child.kill('SIGINT'), printed: () => out, closeOutput: () => child.stdout.destroy() };
}
