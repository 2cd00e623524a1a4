import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { ObservationQueue } from '../platform/observations/observation-queue.ts';
import { PostgresSamples } from '../platform/observations/samples/postgres-samples.ts';
import { FlushFailures } from './flush-failures.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('reports and counts a flush that the database refuses, until one succeeds', async () => {
  const reported: string[] = [];
  const failures = new FlushFailures((error, activity) => reported.push(`${activity}: ${String(error)}`));
  const queue = new ObservationQueue(new PostgresSamples(database.pool), {
    flushMs: 0,
    onFlushed: (error) => {
      failures.onFlushed('samples', error);
    },
  });
  const add = () =>
    queue.add(
      { name: 'checker eu 0', epoch: 1 },
      'ab'.repeat(12),
      {
        ...{ at: Date.now(), outcome: 'up', periodSeconds: 15, httpStatus: 200, reason: null },
        ...{ dns: 1, connect: 1, tls: 1, request: 1, waiting: 1, download: 1, total: 6 },
      },
      true,
    );
  await database.pool.query('ALTER TABLE sample_flush RENAME TO sample_flush_away');
  await expect(add()).rejects.toThrow('sample_flush');
  expect(reported).toEqual([expect.stringMatching(/^storing samples: .*"sample_flush" does not exist/)]);
  expect(failures.figures).toEqual({
    flushFailures: { runs: 0, samples: 1 },
    failingFlushes: { samples: expect.stringContaining('sample_flush') },
  });
  await database.pool.query('ALTER TABLE sample_flush_away RENAME TO sample_flush');
  expect(await add()).toBe(false);
  expect(failures.figures).toEqual({ flushFailures: { runs: 0, samples: 1 }, failingFlushes: {} });
});
