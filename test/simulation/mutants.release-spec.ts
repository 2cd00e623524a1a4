import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { mutants } from './mutant-table.ts';

const PROGRAM = resolve(import.meta.dirname, 'run-mutant.mjs');
const NONE = 'every invariant held';
/** MUTANT_DAYS looks for a shorter simulation that finds a mutant, too. */
const table = mutants.map(({ name, days }) => ({ name, days: Number(process.env['MUTANT_DAYS'] ?? days) }));
/** Of the simulation without a bug. */
const LONGEST_DAYS = 30;
/** What a seed makes happen changes with the product, so a mutant is looked for in up to three simulations. */
const SEEDS = [20260101, 20260102, 20260103] as const;

/** The first violated invariant of a simulation in a process of its own, which loads the file with the bug. */
async function firstViolation(seed: number, days: number, mutant = ''): Promise<string> {
  const database = await createTestDatabase();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, database.url, String(seed), String(days), mutant]);
    return stdout.trim();
  } finally {
    await database.drop();
  }
}

describe('the simulation', () => {
  it(`finds nothing without a bug, in ${String(LONGEST_DAYS)} days`, async () => {
    expect(await firstViolation(SEEDS[0], LONGEST_DAYS)).toBe(NONE);
  });

  it.each(table)('finds in $days days that $name', async ({ days, name }) => {
    let found = NONE;
    for (const seed of SEEDS) if (found === NONE) found = await firstViolation(seed, days, name);
    expect(found).not.toBe(NONE);
  });
});
