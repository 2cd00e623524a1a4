import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Socket } from 'node:net';
import { eventStoreEnv } from './event-store-env.ts';

const CLI = resolve(import.meta.dirname, '../../dist/cli.js');
const HOST = resolve(import.meta.dirname, 'command-host.mjs');

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

type Env = Readonly<Record<string, string>>;

const environment = (env: Env): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  ...eventStoreEnv(env['DATABASE_URL']),
  ...env,
});

/**
 * Runs `watchledger …` with the given environment only, after the commands before it: one process serves them all, because its start takes more than
 * most commands. A command that would keep a process of its own from ending fails.
 */
export const watchledger = (env: Env, ...args: readonly string[]): { readonly ran: Promise<Ran> } => watchledgerIn('/', env, ...args);

/** The same, started in a folder. */
export function watchledgerIn(cwd: string, env: Env, ...args: readonly string[]): { readonly ran: Promise<Ran> } {
  const ran = last.then(() => (host ??= new CommandHost()).run({ args, cwd, env: environment(env) }));
  last = ran.catch(() => undefined);
  return { ran };
}

/** Runs `watchledger …` as a process of its own, which can be interrupted, run beside others, and read as it prints. */
export function watchledgerProcess(cwd: string, env: Env, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [CLI, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'], env: environment(env) });
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

let host: CommandHost | undefined;
let last: Promise<unknown> = Promise.resolve();

/** The process of `command-host.mjs`. It does not keep its jest worker from ending, and ends with it. */
class CommandHost {
  private readonly child = spawn(process.execPath, [HOST, CLI], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: environment({}) });
  private readonly output = [this.child.stdout, this.child.stderr] as readonly unknown[] as readonly [Socket, Socket];
  private readonly printed = ['', ''];

  constructor() {
    for (const [at, stream] of this.output.entries())
      stream.setEncoding('utf8').on('data', (text: string) => (this.printed[at] = (this.printed[at] ?? '') + text));
    this.child.once('close', () => {
      if (host === this) host = undefined;
    });
  }

  async run(command: { readonly args: readonly string[]; readonly cwd: string; readonly env: Env }): Promise<Ran> {
    this.holdTests(true);
    this.printed.fill('');
    try {
      return await this.result(command);
    } finally {
      this.holdTests(false);
    }
  }

  private result(command: object): Promise<Ran> {
    return new Promise((resolve, reject) => {
      let answer: number | string | undefined;
      const settle = (how: () => void): void => {
        this.child.off('close', died).off('message', answered);
        for (const stream of this.output) stream.off('data', check);
        how();
      };
      const check = (): void => {
        const [out = '', err = ''] = this.printed;
        // Each output ends with it.
        if (answer === undefined || !out.endsWith('\0') || !err.endsWith('\0')) return;
        settle(() => {
          const [status, printed] = [answer, { out: out.slice(0, -1), err: err.slice(0, -1) }];
          if (typeof status === 'number') resolve({ status, ...printed });
          else reject(new Error(`${String(status)}\n${printed.out}${printed.err}`));
        });
      };
      const answered = (message: number | string): void => {
        answer = message;
        check();
      };
      const died = (): void => {
        settle(() => {
          reject(new Error(`the command ended the process that others run in: ${this.printed.join('')}`));
        });
      };
      for (const stream of this.output) stream.on('data', check);
      this.child.once('close', died).once('message', answered);
      this.child.send(command);
    });
  }

  private holdTests(isHeld: boolean): void {
    for (const one of [this.child, this.child.channel, ...this.output]) {
      if (isHeld) one?.ref();
      else one?.unref();
    }
  }
}
