import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const MAIN = resolve(import.meta.dirname, '../../../dist/main.js');
const FAULT_HOOKS = pathToFileURL(resolve(import.meta.dirname, 'fault-hooks.mjs')).href;
const START_MS = 240_000;

/** Fault orders for an instance, beside its configuration (fault-hooks.mjs). */
export interface FaultOrders {
  readonly offset?: number;
  readonly dieAt?: {
    readonly texts: readonly string[];
    readonly skip: number;
    /** Null: before it is sent. */
    readonly afterMs: number | null;
  };
}

let made = 0;

/** One instance of the service that can be killed, suspended, or given another wall clock. */
export class ServiceInstance {
  /** Empty until it is ready. */
  address = '';
  private readonly lines: string[] = [];
  private readonly child: ChildProcess;
  private readonly ordersFile: string;
  private readonly ended: Promise<void>;
  private readonly listening: Promise<void>;

  constructor(folder: string, env: Readonly<Record<string, string>>, orders: FaultOrders = {}) {
    this.ordersFile = join(folder, `orders-${String(++made)}`);
    writeFileSync(this.ordersFile, JSON.stringify(orders));
    this.child = spawn(process.execPath, ['--import', FAULT_HOOKS, MAIN], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: join(folder, 'data'), ORDERS_FILE: this.ordersFile, ...env },
    });
    this.ended = new Promise((done) => {
      this.child.once('exit', () => {
        this.address = '';
        done();
      });
    });
    this.listening = new Promise((ready) => {
      const hear = (line: string): void => {
        this.lines.push(line);
        if (this.lines.length > 200) this.lines.shift();
        const address = /"address":"([^"]+)".*"ready"/.exec(line)?.[1];
        if (address === undefined || this.hasExited) return;
        this.address = address;
        ready();
      };
      for (const stream of [this.child.stdout, this.child.stderr]) if (stream) createInterface({ input: stream }).on('line', hear);
    });
  }

  get hasExited(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** True when it was killed; throws when it ended by itself. */
  get killed(): boolean {
    if (this.child.exitCode !== null) throw this.complaint(`ended by itself with ${String(this.child.exitCode)}`);
    return this.child.signalCode !== null;
  }

  /** False when it was killed before it was ready. */
  async ready(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, START_MS, 'late')));
    const first = await Promise.race([this.listening, this.ended, late]);
    clearTimeout(timer);
    if (first === 'late') {
      this.child.kill('SIGKILL');
      throw this.complaint('did not get ready');
    }
    return !this.killed;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  obey(orders: FaultOrders): void {
    writeFileSync(this.ordersFile, JSON.stringify(orders));
    this.child.kill('SIGUSR2');
  }

  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    if (this.hasExited) return;
    this.child.kill(signal);
    await this.ended;
  }

  /** Waits until it died as ordered; false after the timeout. */
  async dies(withinMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, withinMs)));
    await Promise.race([this.ended, late]);
    clearTimeout(timer);
    return this.hasExited && this.killed;
  }

  complaint(why: string): Error {
    return new Error(`the service ${why}\n${this.lines.slice(-20).join('\n')}`);
  }
}
