import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresServer } from '../test/failover/postgres-server.ts';
import { type Bench, figure, inTurns, median } from './support/bench.ts';
import { ADMIN, json } from './support/bench-service.ts';
import { load } from './support/http-load.ts';
import { postgresSeconds, processSeconds, spentSince } from './support/processor.ts';
import { type Program, startProgram } from './support/program.ts';

const MAIN = resolve(import.meta.dirname, '../dist/main.js');
const DATABASE = 'watchledger';
const PROJECTS = 100;
const ROUNDS = 3;
const IN_USE_MS = 20_000;

/** Reading a project through two API processes, with a read replica and without one, in turns on the same primary. */
const bench: Bench = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const primary = await PostgresServer.primary(join(folder, 'primary'));
  await primary.run(`CREATE DATABASE ${DATABASE}`);
  const replica = await PostgresServer.standbyOf(primary, join(folder, 'replica'), primary.port);
  const pool = openPool(primary.url(DATABASE), { name: 'bench', max: 1 });
  const programs: Program[] = [];
  const keys = { MASTER_KEY: randomBytes(32).toString('hex'), JWT_KEY: randomBytes(32).toString('hex') };
  const env = { PORT: '0', DATABASE_URL: primary.url(DATABASE), RATE_LIMIT: '0', LOG_LEVEL: 'info', ...keys };
  const start = async (name: string, settings: Readonly<Record<string, string>>): Promise<Program> => {
    const first = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIR: join(folder, name) };
    const program = await startProgram(MAIN, { ...env, ...first, ...settings }, folder);
    programs.push(program);
    return program;
  };
  try {
    await start('projector', { ROLES: 'api,projector,reactor' });
    const READ_URL = replica.url(DATABASE);
    const [one, two, ...others] = [
      await start('alone 1', { ROLES: 'api' }),
      await start('alone 2', { ROLES: 'api' }),
      await start('replicated 1', { ROLES: 'api', READ_URL }),
      await start('replicated 2', { ROLES: 'api', READ_URL }),
    ];
    const token = await json(`${one.address}/api/authenticate`, ADMIN);
    const ids: string[] = [];
    while (ids.length < PROJECTS) {
      const made = await json(`${one.address}/api/project/create`, { url: 'https://example.com' }, token);
      ids.push((JSON.parse(made) as { id: string }).id);
    }
    await untilInUse(others);
    const apis = { primary: [one, two], replica: others };
    const spent = { primary: { primary: [] as number[], api: [] as number[] }, replica: { primary: [] as number[], api: [] as number[] } };
    const round = (which: keyof typeof apis) => async (): Promise<number> => {
      const urls = ids.flatMap((id) => apis[which].map(({ address }) => `${address}/api/project/${id}`));
      const seconds = (): number => apis[which].reduce((sum, { pid }) => sum + processSeconds(pid), 0);
      const before = { postgres: await postgresSeconds(pool), api: seconds() };
      const { count, rate } = await load(urls, { authorization: `Bearer ${token}` });
      const each = (all: number): number => (all * 1_000_000) / count;
      spent[which].primary.push(each(spentSince(before.postgres, await postgresSeconds(pool))));
      spent[which].api.push(each(seconds() - before.api));
      return rate;
    };
    for (const which of ['primary', 'replica'] as const) await round(which)();
    for (const costs of Object.values(spent)) costs.primary.length = costs.api.length = 0;
    const rates = await inTurns(ROUNDS, { primary: round('primary'), replica: round('replica') });
    const costs = (part: 'primary' | 'api') =>
      [median(spent.replica[part]), 'µs of CPU', { ceiling: median(spent.primary[part]) }] as const;
    return [
      figure('GET /project/{id} by two API processes with a read replica (ceiling: without)', rates.replica, 'requests/s', {
        ceiling: rates.primary,
      }),
      figure('the same, processor of the primary for each', ...costs('primary')),
      figure('the same, processor of the API process for each', ...costs('api')),
    ];
  } finally {
    for (const program of programs) await program.stop();
    await pool.end();
    for (const server of [replica, primary]) await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
};

/** A replica is used once it has proven that it follows the primary. */
async function untilInUse(services: readonly Program[]): Promise<void> {
  const deadline = performance.now() + IN_USE_MS;
  for (const { address } of services)
    for (;;) {
      const { parts } = (await (await fetch(`${address}/health/ready`)).json()) as { readonly parts: Readonly<Record<string, string>> };
      if (parts['replica'] === 'ok') break;
      if (performance.now() > deadline) throw new Error(`the replica is not in use: ${String(parts['replica'])}`);
      await new Promise((again) => setTimeout(again, 200));
    }
}

export default bench;
