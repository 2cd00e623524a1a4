import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openPool } from '../src/persistence/pool.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { seedFailures } from './support/failures.ts';
import { startProgram } from './support/program.ts';
import { steadyReads } from './support/steady-reads.ts';

const ROOT = resolve(import.meta.dirname, '..');
const EVENTS = 300_000;
const PROJECTS = 20;
const ROUNDS = 5;
const ADMIN = { email: 'bench@example.test', password: 'correct horse battery staple' };

/** The latency of API reads at a steady rate, without and during a team's rebuild over a long log in the same process. */
const bench: Bench = async ({ database, say }) => {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-bench-'));
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 2, statementTimeoutMs: 0 });
  say(`writing ${EVENTS.toLocaleString('en')} events ...`);
  await seedFailures(pool, EVENTS, 1_000);
  const service = await startProgram(
    join(ROOT, 'dist/main.js'),
    {
      ...{ PORT: '0', DATABASE_URL: url, MASTER_KEY: randomBytes(32).toString('hex'), DATA_DIR: join(folder, 'data'), RATE_LIMIT: '0' },
      ...{ LOG_LEVEL: 'info', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, ROLES: 'api,projector' },
      ...{ PROJECTIONS: join(ROOT, 'examples/failures-by-hour') },
    },
    folder,
  );
  const ask = async (path: string, body?: object, token?: string): Promise<string> => {
    const headers = { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) };
    const answer = await fetch(`${service.address}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered ${String(answer.status)}`);
    return answer.text();
  };
  try {
    const token = await ask('/authenticate', ADMIN);
    const urls: string[] = [];
    while (urls.length < PROJECTS) {
      const { id } = JSON.parse(await ask('/project/create', { url: 'https://example.com' }, token)) as { id: string };
      urls.push(`${service.address}/api/project/${id}`);
    }
    const isRebuilding = async (): Promise<boolean> =>
      (await pool.query(`SELECT FROM projection WHERE name = 'failures_by_hour' AND (rebuild OR state <> 'live')`)).rowCount !== 0;
    const settled = async (): Promise<void> => {
      while (await isRebuilding()) await new Promise((again) => setTimeout(again, 50));
    };
    await settled();
    await steadyReads(urls, token);
    const [quiet, busy]: [number[], number[]] = [[], []];
    let rebuilds = 0;
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(await steadyReads(urls, token));
      const ending = new AbortController();
      const again = (async () => {
        while (!ending.signal.aborted) {
          await ask('/ops/projections/failures_by_hour/rebuild', {}, token);
          await settled();
          rebuilds++;
        }
      })();
      busy.push(await steadyReads(urls, token));
      ending.abort();
      await again;
    }
    say(`${String(rebuilds)} rebuilds of ${EVENTS.toLocaleString('en')} events`);
    const [without, during] = [median(quiet), median(busy)];
    return [
      figure('GET /project/{id}, 99 of 100, no rebuild', without, 'ms'),
      figure('GET /project/{id}, 99 of 100, during a rebuild', during, 'ms'),
      figure('times slower during a rebuild', during / without, 'times', { goal: { atMost: 1.3 } }),
    ];
  } finally {
    await service.stop();
    await pool.end();
    await rm(folder, { recursive: true, force: true });
  }
};

export default bench;
