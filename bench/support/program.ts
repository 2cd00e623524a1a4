import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

export interface Program {
  readonly address: string;
  /** The time from the start of the process until it reports ready. */
  readonly readyMs: number;
  readonly pid: number;
  /** Log entries at the levels warn and above since its start. */
  readonly troubles: () => number;
  stop(): Promise<void>;
}

/** A program that prints its address when it is ready. */
export function startProgram(
  entry: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
  { niceness = 0 }: { readonly niceness?: number } = {},
): Promise<Program> {
  const began = performance.now();
  const child = spawn('nice', ['-n', String(niceness), process.execPath, entry], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
  };
  let troubles = 0;
  return new Promise((found, failed) => {
    child.once('exit', (code) => {
      failed(new Error(`${entry} ended with ${String(code)}`));
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const address = /"address":"([^"]+)"/.exec(line)?.[1];
      if (/"level":"(warn|error|fatal)"/.test(line)) troubles++;
      if (/"level":"(error|fatal)"/.test(line)) console.error(line);
      if (address !== undefined)
        found({ address, readyMs: performance.now() - began, pid: child.pid ?? 0, troubles: () => troubles, stop });
    });
  });
}

export async function residentMegabytes(pid: number): Promise<number> {
  const pages = Number((await readFile(`/proc/${String(pid)}/statm`, 'utf8')).split(' ')[1]);
  return (pages * 4096) / 1e6;
}
