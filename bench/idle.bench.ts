import { setTimeout as sleep } from 'node:timers/promises';
import { openPool } from '../src/platform/postgres/pool.ts';
import { type Bench, figure } from './support/bench.ts';
import { withService } from './support/bench-service.ts';
import { postgresSeconds, processSeconds, spentSince } from './support/processor.ts';

/** By then the heap of the start is collected. */
const SETTLE_MS = 60_000;
const MEASURE_MS = 60_000;

/** What a service without projects and clients costs by itself: heartbeats, failure detection, polls. */
const bench: Bench = (tools) =>
  withService(tools, async (service, databaseUrl) => {
    const pool = openPool(databaseUrl, { name: 'bench', max: 1 });
    const look = async () => ({
      at: performance.now(),
      own: processSeconds(service.pid),
      postgres: await postgresSeconds(pool),
      statements: Number(
        (await pool.query<{ count: string }>('SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()'))
          .rows[0]?.count,
      ),
    });
    try {
      await sleep(SETTLE_MS);
      const before = await look();
      await sleep(MEASURE_MS);
      const after = await look();
      const seconds = (after.at - before.at) / 1_000;
      return [
        figure('processor of the idle service, of one core', ((after.own - before.own) / seconds) * 100, '%', { goal: { atMost: 0.5 } }),
        figure('processor of Postgres beside it, of one core', (spentSince(before.postgres, after.postgres) / seconds) * 100, '%'),
        figure('its statements', (after.statements - before.statements) / seconds, '/s'),
      ];
    } finally {
      await pool.end();
    }
  });

export default bench;
