import pg from 'pg';
import { startThrowawayCluster } from '../../src/embedded-postgres/throwaway-cluster.ts';
import { migrate } from '../../src/migrations/migrate.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

/** Runs one simulation on its own database. True when every invariant held. */
export async function simulate(
  options: Pick<SimulationOptions, 'days' | 'seed' | 'impatient'>,
  say: (line: string) => void,
): Promise<boolean> {
  const { days, seed } = options;
  say(`${String(days)} days, seed ${String(seed)}`);
  const cluster = await startThrowawayCluster();
  const url = `${cluster.url}/postgres`;
  await migrate(url);
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const began = performance.now();
  try {
    const simulation = new Simulation({
      ...options,
      pool,
      onDay: (day) => {
        if (day % 30 === 0) say(`day ${String(day)}: ${JSON.stringify(simulation.counts)}`);
      },
    });
    await simulation.pass();
    for (const what of simulation.broken) say(`BROKEN ${what}`);
    const verdict =
      simulation.broken.length === 0 ? 'every invariant held' : `again with: npm run test:simulation -- ${String(days)} ${String(seed)}`;
    say(`${JSON.stringify(simulation.counts)} in ${String(Math.round((performance.now() - began) / 1000))} s: ${verdict}`);
    return simulation.broken.length === 0;
  } finally {
    await pool.end();
    await cluster.stop();
  }
}
