import { resolve } from 'node:path';
import { openPool } from '../src/platform/postgres/pool.ts';
import { ADMIN, json, withService } from './support/bench-service.ts';
import { type Bench, type BenchTools, type Figure, figure, median } from './support/bench.ts';
import { seedFailures } from './support/failures.ts';
import { createReadProjects } from './support/read-projects.ts';
import { steadyReads } from './support/steady-reads.ts';

const EVENTS = 300_000;
const ROUNDS = 5;

/** The latency of API reads at a steady rate, without and during a team's rebuild over a long log. */
const bench: Bench = (tools) => {
  const seeded = async (): Promise<string> => {
    const url = await tools.database();
    tools.say(`writing ${EVENTS.toLocaleString('en')} events ...`);
    const pool = openPool(url, { name: 'bench', max: 1, statementTimeoutMs: 0 });
    await seedFailures(pool, EVENTS, 1_000);
    await pool.end();
    return url;
  };
  const settings = { ROLES: 'api,projector', PROJECTIONS: resolve(import.meta.dirname, '../examples/failures-by-hour') };
  return withService({ ...tools, database: seeded }, ({ address }, url) => measured(address, url, tools), settings);
};

export default bench;

async function measured(address: string, url: string, { say }: BenchTools): Promise<readonly Figure[]> {
  const pool = openPool(url, { name: 'bench', max: 1 });
  try {
    const token = await json(`${address}/api/authenticate`, ADMIN);
    const urls = await createReadProjects(address, token);
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
          await json(`${address}/api/ops/projections/failures_by_hour/rebuild`, {}, token);
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
    await pool.end();
  }
}
