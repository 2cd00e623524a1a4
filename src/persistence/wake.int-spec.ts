import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import type { Bell } from './wake.ts';
import { PostgresWake } from './wake-postgres.ts';

let database: TestDatabase;
let here: PostgresWake;
let there: PostgresWake;
beforeAll(async () => {
  database = await createTestDatabase();
  here = new PostgresWake(database.url);
  there = new PostgresWake(database.url);
});
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await database.drop();
});

/** Rings until it is heard: the listener may still be connecting. */
async function heard(bell: Bell): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    here.ring('log');
    if (await bell.wait(100)) return true;
  }
  return false;
}

it('is heard in another process, and again after both connections were cut', async () => {
  const bell = there.bell('log');
  expect(await heard(bell)).toBe(true);
  await database.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchledger wake'`);
  // Coming back rings once for what may have been missed; only the ring after that tells that it listens again.
  expect(await bell.wait(10_000)).toBe(true);
  expect(await heard(bell)).toBe(true);
});

it('answers its own process without the way through the database', async () => {
  const bell = here.bell('views');
  here.ring('views');
  // What is there already needs no waiting: the way through the database is not that short.
  expect(await bell.wait(0)).toBe(true);
});

it('sends what rang while its connection was down', async () => {
  const own = new PostgresWake(database.url);
  const bell = there.bell('views');
  try {
    for (let tries = 0; !(await bell.wait(100)) && tries < 100; tries++) own.ring('views');
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watchledger wake' ORDER BY backend_start DESC LIMIT 1`,
    );
    while (await bell.wait(200));
    own.ring('views');
    expect(await bell.wait(10_000)).toBe(true);
  } finally {
    await own.close();
  }
});
