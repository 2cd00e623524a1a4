import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { Simulation } from './simulation.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('a simulated fortnight with crashes, pauses, lost connections and wrong clocks', () => {
  const seed = Number(process.env['SIMULATION_SEED'] ?? 20260101);

  it(`keeps every invariant: checks run on time, changes are reported once, jobs end (SIMULATION_SEED=${String(seed)})`, async () => {
    const fortnight = new Simulation({ seed, days: Number(process.env['SIMULATION_DAYS'] ?? 14), pool: database.pool });
    await fortnight.pass();
    expect({ seed, broken: fortnight.broken }).toEqual({ seed, broken: [] });
    const { runs, alerted, repeats, ...happened } = fortnight.counts;
    expect(runs).toBeGreaterThan(5_000);
    expect(alerted).toBeGreaterThan(10);
    expect(repeats).toBeLessThan(alerted);
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
  }, 3_600_000);
});
