import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

export const RUN_DEMO = resolve(import.meta.dirname, '../../examples/demo/run.mjs');
export const DEMO_OWNER = 'ada.winter@demo.example';
const START_MS = 150_000;

/** The demo as `npm run demo` starts it, in a folder and on ports of its own. */
export class Demo {
  printed = '';
  private child: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    readonly env: Readonly<Record<string, string>>,
    readonly address: string,
  ) {}

  static async open(days: number): Promise<Demo> {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-demo-'));
    chmodSync(folder, 0o755);
    const [port, http, https] = await Promise.all([freePort(), freePort(), freePort()]);
    const ports = { PORT: String(port), DEMO_HTTP_PORT: String(http), DEMO_HTTPS_PORT: String(https) };
    const env = { PATH: process.env['PATH'] ?? '', DEMO_DIR: join(folder, 'data'), DEMO_DAYS: String(days), ...ports };
    return new Demo(folder, env, `http://127.0.0.1:${String(port)}`);
  }

  async start(): Promise<void> {
    this.printed = '';
    const child = spawn(process.execPath, [RUN_DEMO], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the demo ended:\n${this.printed}`);
      return fetch(`${this.address}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    }, START_MS);
  }

  /** As printed at the first start. */
  get password(): string {
    return /password {2}(\S+)/.exec(this.printed)?.[1] ?? '';
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child?.exitCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
