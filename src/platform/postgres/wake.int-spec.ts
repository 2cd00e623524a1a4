import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
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

it('sends what rang right before it is closed, also while it still connects', async () => {
  const bell = there.bell('views');
  for (let times = 0; times < 5; times++) {
    const brief = new PostgresWake(database.url);
    brief.ring('views');
    await brief.close();
    expect(await bell.wait(1_000)).toBe(true);
  }
});

it('ends where the database does not answer', async () => {
  const away = new PostgresWake('postgres://user@127.0.0.1:1/none');
  away.ring('views');
  await expect(away.close()).resolves.toBeUndefined();
});

it('sends nothing while no other process listens, and from the moment at which one does', async () => {
  const alone = await createTestDatabase();
  const first = new PostgresWake(alone.url, undefined, { askAfterMs: 60_000, answerMs: 50 });
  const second: PostgresWake[] = [];
  /** Connections whose last statement sent a ring. */
  const senders = async (): Promise<number> => {
    const text = `SELECT count(*)::int AS sent FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_notify%' AND query_start > $1`;
    return (await alone.pool.query<{ sent: number }>(text, [since])).rows[0]?.sent ?? 0;
  };
  let since = new Date(0);
  try {
    await until(async () => (await senders()) === 1, 5_000);
    await new Promise((done) => setTimeout(done, 100));
    since = (await alone.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now')).rows[0]?.now ?? since;
    first.ring('log');
    await new Promise((done) => setTimeout(done, 100));
    expect(await senders()).toBe(0);
    second.push(new PostgresWake(alone.url));
    const bell = second[0]!.bell('log');
    // Once because it connects, and once because the first answers.
    expect(await bell.wait(5_000)).toBe(true);
    await until(async () => (await senders()) === 2, 5_000);
    while (await bell.wait(200));
    first.ring('log');
    expect(await bell.wait(5_000)).toBe(true);
  } finally {
    await Promise.all([first, ...second].map((wake) => wake.close()));
    await alone.drop();
  }
});
