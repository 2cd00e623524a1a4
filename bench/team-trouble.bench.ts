import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPool } from '../src/platform/postgres/pool.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { type Bench, type BenchTools, type Figure, figure, median } from './support/bench.ts';
import { createReadProjects } from './support/read-projects.ts';
import { steadyReads } from './support/steady-reads.ts';

const ROUNDS = 5;

/** What packages do while the file of the bench exists. */
const TROUBLES = {
  looping: 'for (;;);',
  leaking: 'const all = []; setInterval(() => { for (let i = 0; i < 200; i++) all.push(new Array(10_000).fill(0.5)); }, 10);',
  exiting: 'process.exit(1);',
  aborting: 'process.abort();',
} as const;

const packageOf = (name: string, trouble: string): string => `
  import { existsSync } from 'node:fs';
  import { defineProjection } from 'watchledger/projection';
  const timer = setInterval(() => {
    if (!existsSync(process.env.TROUBLE_FILE)) return;
    clearInterval(timer);
    ${trouble}
  }, 50);
  export default defineProjection({ name: '${name}', version: 1, tables: ['CREATE TABLE seen (n bigint)'], on: { ProjectRenamed: () => undefined } });`;

/** The latency of API reads at a steady rate, without and with packages that loop, leak, exit and abort in processes of their own. */
const bench: Bench = async (tools) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const files = await Promise.all(
    Object.entries(TROUBLES).map(async ([name, trouble]) => {
      const file = join(folder, `${name}.mjs`);
      await writeFile(file, packageOf(name, trouble));
      return file;
    }),
  );
  const troubleFile = join(folder, 'trouble');
  const settings = { ROLES: 'api,projector', PROJECTIONS: files.join(), TEAM_ENV: 'TROUBLE_FILE', TROUBLE_FILE: troubleFile };
  try {
    return await withService(tools, ({ address }, url) => measured(address, url, troubleFile, tools), settings);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;

async function measured(address: string, url: string, troubleFile: string, { say }: BenchTools): Promise<readonly Figure[]> {
  const pool = openPool(url, { name: 'bench', max: 1 });
  const healthy = async (): Promise<void> => {
    while ((await pool.query('SELECT FROM team_process WHERE is_down')).rowCount !== 0)
      await new Promise((again) => setTimeout(again, 100));
  };
  try {
    const token = await json(`${address}/api/authenticate`, ADMIN);
    const urls = await createReadProjects(address, token);
    await steadyReads(urls, token);
    const [quiet, busy]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      await healthy();
      quiet.push(await steadyReads(urls, token));
      await writeFile(troubleFile, '');
      busy.push(await steadyReads(urls, token));
      await rm(troubleFile);
    }
    const { rows } = await pool.query<{ ends: number }>('SELECT sum(ends)::int AS ends FROM team_process');
    say(`${String(rows[0]?.ends ?? 0)} processes ended`);
    const without = median(quiet);
    return [
      figure('GET /project/{id}, 99 of 100, packages at rest', without, 'ms'),
      figure('while packages loop, leak, exit and abort', median(busy), 'ms', { ceiling: without, goal: { ratioAtMost: 1.2 } }),
    ];
  } finally {
    await pool.end();
  }
}
