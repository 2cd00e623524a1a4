import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { isRelease, thorough } from '../support/thorough.ts';
import { Simulation } from './simulation.ts';

/** The default run is the same each time; `npm run test:simulation` passes a year. */
const seed = Number(process.env['SIMULATION_SEED'] ?? 20260101);
const days = Number(process.env['SIMULATION_DAYS'] ?? thorough(14, 1.5));
/** A message is repeated after a crash, a week has one report, and faults of each kind come every few days. */
const EVERY_DAY = ['samples', 'ended', 'alerted', 'noticed', 'days', 'warnings', 'crashes', 'greedyWaits'] as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe(`${String(days)} simulated days with crashes, pauses, lost connections and wrong clocks (SIMULATION_SEED=${String(seed)})`, () => {
  it('keep every invariant: checks run on time, changes are reported once, jobs end', async () => {
    const onDay = (day: number): void => {
      if (day % 30 === 0) process.stderr.write(`day ${String(day)}: ${JSON.stringify(simulation.counts)}\n`);
    };
    const simulation = new Simulation({ seed, days, pool: database.pool, onDay });
    await simulation.pass();
    expect(simulation.broken).toEqual([]);
    const { runs, alerted, repeats, ...happened } = simulation.counts;
    expect(runs).toBeGreaterThan(360 * days);
    expect(repeats).toBeLessThan(alerted);
    const counts = { alerted, ...happened };
    expect(EVERY_DAY.filter((kind) => counts[kind] === 0)).toEqual([]);
    if (days < 14) return;
    expect(alerted).toBeGreaterThan(10);
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
  }, 7_200_000);
});

if (isRelease)
  it('is the same run for the same seed', async () => {
    const run = async (): Promise<object> => {
      const { pool, drop } = await createTestDatabase();
      const simulation = new Simulation({ seed, days: 2, pool });
      await simulation.pass();
      await drop();
      return simulation.counts;
    };
    expect(await run()).toEqual(await run());
  });
