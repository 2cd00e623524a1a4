import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { Simulation } from './simulation.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('a simulated month with crashes, pauses, lost connections and wrong clocks', () => {
  const seed = Number(process.env['SIMULATION_SEED'] ?? 20260101);

  it(`keeps every invariant: checks run on time, changes are reported once, jobs end (SIMULATION_SEED=${String(seed)})`, async () => {
    const month = new Simulation({ seed, days: Number(process.env['SIMULATION_DAYS'] ?? 30), pool: database.pool });
    await month.pass();
    expect({ seed, broken: month.broken }).toEqual({ seed, broken: [] });
    const { runs, alerted, repeats, ...happened } = month.counts;
    expect(runs).toBeGreaterThan(5_000);
    expect(alerted).toBeGreaterThan(10);
    expect(repeats).toBeLessThan(alerted);
    expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
  }, 3_600_000);
});
