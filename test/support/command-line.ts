import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

const COMMANDS = resolve(import.meta.dirname, '../../dist/run-command-line.js');
/** One command after the other, in one process. */
const EACH = `
  const { runCommandLine } = await import(process.argv[1]);
  for (const args of JSON.parse(process.argv[2])) {
    let said = '';
    const say = (text) => (said += text + '\\n');
    const status = await runCommandLine(args, { out: say, err: say });
    console.log(JSON.stringify({ status, said }));
  }`;

/** Starts the program once for all of them. */
export async function watchledgerEach(
  env: Readonly<Record<string, string>>,
  commands: readonly (readonly string[])[],
): Promise<readonly { readonly status: number; readonly said: string }[]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', EACH, COMMANDS, JSON.stringify(commands)], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '', ...eventStoreEnv(env['DATABASE_URL']), ...env },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  await once(child, 'close');
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { status: number; said: string });
}
