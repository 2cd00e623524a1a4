import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until as untilWithin } from '../../../test/support/until.ts';
import { SharedWindows } from './shared-windows.ts';

const MINUTE = { name: 'requests', seconds: 60 };
const LIMIT = 600;

let database: TestDatabase;
const opened: SharedWindows[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((windows) => windows.close()));
});
afterAll(() => database.drop());

const instance = (pool = database.pool, onError: (error: unknown) => void = () => undefined): SharedWindows => {
  const windows = new SharedWindows(pool, onError);
  opened.push(windows);
  return windows;
};
const until = (condition: () => Promise<boolean>): Promise<void> => untilWithin(condition, 5_000);
let lastUser = 0;
const newUser = (): number => ++lastUser;
const used = (windows: SharedWindows, userId: number): number => windows.use(MINUTE, userId).used;

describe('a window that instances share', () => {
  it('counts what every instance counted', async () => {
    const [one, two, userId] = [instance(), instance(), newUser()];
    for (let n = 0; n < 30; n++) one.add(MINUTE, userId, 1, LIMIT);
    for (let n = 0; n < 12; n++) two.add(MINUTE, userId, 1, LIMIT);
    await until(async () => (await one.exactUse(MINUTE, userId)).used === 42);
    await until(() => {
      one.add(MINUTE, userId, 0, LIMIT);
      two.add(MINUTE, userId, 0, LIMIT);
      return Promise.resolve(used(one, userId) === 42 && used(two, userId) === 42);
    });
  });

  it('lets two instances together exceed the limit by little when both are flooded', async () => {
    const [one, two, userId] = [instance(), instance(), newUser()];
    const allowed = { one: 0, two: 0 };
    const end = performance.now() + 3_000;
    while (performance.now() < end) {
      if (one.add(MINUTE, userId, 1, LIMIT).used <= LIMIT) allowed.one++;
      if (two.add(MINUTE, userId, 1, LIMIT).used <= LIMIT) allowed.two++;
      // About a thousand requests a second.
      await new Promise((later) => setTimeout(later, 2));
    }
    expect(allowed.one + allowed.two).toBeGreaterThanOrEqual(LIMIT);
    expect(allowed.one + allowed.two).toBeLessThan(LIMIT * 1.25);
  });

  it('never counts less while an exchange is under way', async () => {
    const [windows, userId] = [instance(), newUser()];
    let last = 0;
    for (let n = 0; n < 300; n++) {
      const now = windows.add(MINUTE, userId, 1, LIMIT).used;
      expect(now).toBe(++last);
      await new Promise((later) => setTimeout(later, 1));
    }
  });

  it('ends for every instance at the same time, and begins anew', async () => {
    const short = { name: 'short', seconds: 1 };
    const [one, two, userId] = [instance(), instance(), newUser()];
    one.add(short, userId, 7, LIMIT);
    await until(async () => (await two.exactUse(short, userId)).used === 7);
    await until(() => Promise.resolve(one.use(short, userId).used === 0));
    two.add(short, userId, 2, LIMIT);
    await until(async () => (await one.exactUse(short, userId)).used === 2);
  });

  it('is kept over a restart', async () => {
    const userId = newUser();
    const before = new SharedWindows(database.pool, () => undefined);
    before.add(MINUTE, userId, 5, LIMIT);
    await before.close();
    const after = instance();
    after.add(MINUTE, userId, 1, LIMIT);
    await until(() => Promise.resolve(used(after, userId) === 6));
  });

  it('is counted by each instance alone while the database is away, and made up for afterwards', async () => {
    const userId = newUser();
    let away = true;
    const errors: unknown[] = [];
    const pool = {
      query: (...given: [pg.QueryConfig]) => (away ? Promise.reject(new Error('connection lost')) : database.pool.query(...given)),
    } as unknown as pg.Pool;
    const windows = instance(pool, (error) => errors.push(error));
    for (let n = 0; n < 50; n++) windows.add(MINUTE, userId, 1, LIMIT);
    await until(() => Promise.resolve(errors.length > 0));
    expect(used(windows, userId)).toBe(50);
    away = false;
    await until(async () => (await instance().exactUse(MINUTE, userId)).used === 50);
    expect(errors).toHaveLength(1);
  });
});
