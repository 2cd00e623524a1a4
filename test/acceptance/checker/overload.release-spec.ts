import { expect, it } from '@jest/globals';
import { overload } from '../../overload/overload.ts';
import { createTestDatabase } from '../../support/database.ts';

/** The short form of `npm run test:overload` (docs/operations.md#overload). */
it('answers reads, loses nothing and recovers when it gets a fifth of the processor time that it needs', async () => {
  const lines: string[] = [];
  const { violations, ...figures } = await overload({
    database: await createTestDatabase(),
    projects: 1_500,
    factor: 5,
    calibrationSeconds: 3,
    overloadSeconds: 8,
    transitionSeconds: 4,
    // Other tests use the machine: the long form judges how fast. The reads are so few that the slowest of them counts.
    readP99Ms: 15_000,
    recoveredWithinSeconds: 200,
    https: false,
    say: (line) => lines.push(line),
  });
  lines.push(JSON.stringify(figures));
  // The lines say in a failure what happened.
  if (violations.length > 0) expect([...violations, ...lines]).toEqual([]);
  expect(figures.acknowledged).toBeGreaterThan(0);
});
