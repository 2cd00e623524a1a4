import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createTestDatabase } from '../support/database.ts';
import { mutants, SEED } from './mutant-table.ts';

const PROGRAM = resolve(import.meta.dirname, 'run-mutant.mjs');
const NONE = 'every invariant held';
/** MUTANT_DAYS looks for a shorter simulation that finds a mutant, too. */
const table = mutants.map(({ name, days }) => ({ name, days: Number(process.env['MUTANT_DAYS'] ?? days) }));
/** Of the simulation without a bug. */
const LONGEST_DAYS = 30;

/** The first violated invariant of a simulation in a process of its own, which loads the file with the bug. */
async function firstViolation(days: number, mutant = ''): Promise<string> {
  const database = await createTestDatabase();
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, database.url, String(SEED), String(days), mutant]);
    return stdout.trim();
  } finally {
    await database.drop();
  }
}

describe('the simulation', () => {
  it(`finds nothing without a bug, in ${String(LONGEST_DAYS)} days`, async () => {
    expect(await firstViolation(LONGEST_DAYS)).toBe(NONE);
  });

  it.each(table)('finds in $days days that $name', async ({ days, name }) => {
    expect(await firstViolation(days, name)).not.toBe(NONE);
  });
});
