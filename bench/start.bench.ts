import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Bench, figure, median } from './support/bench.ts';
import { startProgram } from './support/program.ts';

const ROUNDS = 5;
const ROOT = resolve(import.meta.dirname, '..');
/** What a service of this kind loads before its first own line. */
const FLOOR = `await Promise.all(['@nestjs/core', '@nestjs/platform-fastify', '@nestjs/cqrs', 'class-validator', 'pino', 'pg'].map((name) => import(name)))`;

/** The start of the built program beside a database, in rounds that alternate with node loading Nest and a driver alone. */
const bench: Bench = async ({ database, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-start-'));
  const env = { PORT: '0', DATABASE_URL: await database(), DATA_DIR: folder, MASTER_KEY: randomBytes(32).toString('hex') };
  const [ready, cpu, floor]: number[][] = [[], [], []];
  try {
    // The first start makes the tables.
    for (let round = 0; round <= ROUNDS; round++) {
      const program = await startProgram(join(ROOT, 'dist/main.js'), env, folder);
      const used = await processorMs(program.pid);
      await program.stop();
      const loaded = await loadFloor();
      if (round === 0) continue;
      ready?.push(program.readyMs);
      cpu?.push(used);
      floor?.push(loaded);
    }
    const [started, least] = [median(cpu ?? []), median(floor ?? [])];
    say(`processor time until ready ${started.toFixed(0)} ms, of Nest and the driver alone ${least.toFixed(0)} ms`);
    return [
      figure('ready, database there', median(ready ?? []), 'ms', { goal: { atMost: 600 } }),
      figure('start, by the CPU of the process (ceiling: loading Nest and pg)', started, 'ms', { ceiling: least }),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;

/** User and system time of all threads; Linux counts it in hundredths of a second. */
async function processorMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function loadFloor(): Promise<number> {
  const text = `${FLOOR}; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((loaded, failed) => {
    child.once('error', failed);
    child.stdout.once('data', (chunk: Buffer) => {
      loaded(Number(chunk.toString()));
    });
  });
}
