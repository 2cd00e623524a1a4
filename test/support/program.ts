import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { eventStoreEnv } from './event-store-env.ts';

export const MAIN = resolve(import.meta.dirname, '../../dist/main.js');
const START_MS = 240_000;

export interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** The program as started from a shell, with the given environment only. */
export class Program {
  out = '';
  err = '';
  readonly ended: Promise<Ended>;
  private readonly child: ChildProcess;

  constructor(env: Readonly<Record<string, string>>, cwd: string, as: { uid?: number; gid?: number } = {}, main = MAIN) {
    this.child = spawn(process.execPath, [main], {
      cwd,
      ...as,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', ...eventStoreEnv(env['DATABASE_URL']), ...env },
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.out += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.err += chunk.toString()));
    this.ended = new Promise((done) => {
      this.child.once('close', (status) => {
        done({ status, out: this.out, err: this.err });
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Closes the reader of its standard output: the pipe has no reader from now on. */
  deafen(): void {
    this.child.stdout?.destroy();
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** The address that it prints when it is ready. */
  async ready(): Promise<string> {
    const deadline = Date.now() + START_MS;
    for (;;) {
      const address = /"address":"([^"]+)".*"ready"/.exec(this.out)?.[1];
      if (address !== undefined) return address;
      if (this.child.exitCode !== null || Date.now() > deadline) throw new Error(`the program did not get ready:\n${this.out}${this.err}`);
      await new Promise((again) => setTimeout(again, 20));
    }
  }
}
