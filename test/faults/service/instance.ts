import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const MAIN = resolve(import.meta.dirname, '../../../dist/main.js');
const CLOCK = pathToFileURL(resolve(import.meta.dirname, 'clock-step.mjs')).href;
const START_MS = 120_000;

/** One instance of the service, to be killed, stopped in its tracks, or told another time. */
export class Instance {
  private readonly lines: string[] = [];

  private constructor(
    private readonly child: ChildProcess,
    private readonly clockFile: string,
    readonly address: string,
  ) {}

  static start(folder: string, env: Readonly<Record<string, string>>): Promise<Instance> {
    const clockFile = join(folder, 'clock');
    const child = spawn(process.execPath, ['--import', CLOCK, MAIN], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', PORT: '0', DATA_DIR: join(folder, 'data'), CLOCK_FILE: clockFile, ...env },
    });
    const lines: string[] = [];
    return new Promise((found, failed) => {
      const fail = (why: string): void => {
        child.kill('SIGKILL');
        failed(new Error(`the service ${why}\n${lines.slice(-20).join('\n')}`));
      };
      const timer = setTimeout(() => {
        fail('did not get ready');
      }, START_MS);
      child.once('exit', (code) => {
        clearTimeout(timer);
        fail(`ended with ${String(code)} before it was ready`);
      });
      const hear = (line: string): void => {
        lines.push(line);
        if (lines.length > 200) lines.shift();
        const address = /"address":"([^"]+)".*"ready"/.exec(line)?.[1];
        if (address === undefined) return;
        clearTimeout(timer);
        const instance = new Instance(child, clockFile, address);
        instance.lines.push(...lines);
        found(instance);
      };
      for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', hear);
    });
  }

  get gone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  stepClock(milliseconds: number): void {
    writeFileSync(this.clockFile, String(milliseconds));
    this.child.kill('SIGUSR2');
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.gone) return;
    const ended = new Promise((done) => this.child.once('exit', done));
    this.child.kill(signal);
    await ended;
  }
}
