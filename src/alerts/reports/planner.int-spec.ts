import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { acceptingMailer, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';
import { until } from '../../../test/support/until.ts';

let database: TestDatabase;
let world: NotificationWorld;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  world = await NotificationWorld.open(database.pool, acceptingMailer);
  await database.pool.query('DELETE FROM report_plan');
});

async function planned(): Promise<readonly number[]> {
  const { rows } = await database.pool.query<{ user_id: number }>('SELECT user_id FROM report_plan ORDER BY user_id');
  return rows.map(({ user_id }) => user_id);
}

/** As a process does it from its start on, until `done`. */
async function working(done: () => Promise<unknown>): Promise<void> {
  const over = new AbortController();
  const work = world.newProcess().reports.work(over.signal);
  try {
    await done();
  } finally {
    over.abort();
    await work;
  }
}

describe('the report planner', () => {
  it('adds accounts from before the notification process started', async () => {
    await world.openAccount(2);
    await working(() => until(async () => (await planned()).length === 2, 10_000, 'both accounts have a schedule'));
    expect(await planned()).toEqual([1, 2]);
  });

  it('waits until the read models show every account before the notification checkpoint', async () => {
    world.shown = world.store.events.length;
    await world.openAccount(2);
    // Passed, and never checked again.
    await database.pool.query('UPDATE consumer SET n = $1', [world.store.events.length - 1]);
    await working(async () => {
      await until(() => Promise.resolve(world.waits.length > 2), 10_000, 'it looks again');
      expect(await planned()).toEqual([]);
      world.shown = Infinity;
      await until(async () => (await planned()).length === 2, 10_000, 'both accounts have a schedule');
    });
  });

  it('adds no account while there is no notification checkpoint', async () => {
    await database.pool.query('DELETE FROM consumer');
    await working(async () => {
      await until(() => Promise.resolve(world.waits.length > 2), 10_000, 'it looks again');
      expect(await planned()).toEqual([]);
    });
  });

  it('keeps existing schedules', async () => {
    await database.pool.query(`INSERT INTO report_plan (user_id, look_at, seen_n) VALUES (1, 'infinity', 7)`);
    await world.openAccount(2);
    await working(() => until(async () => (await planned()).length === 2, 10_000, 'both accounts have a schedule'));
    const { rows } = await database.pool.query('SELECT look_at, seen_n FROM report_plan WHERE user_id = 1');
    expect(rows).toEqual([{ look_at: Infinity, seen_n: '7' }]);
  });
});
