import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { meterDatabase } from './database-metrics.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const valueOf = async (name: string): Promise<number> => {
  const registry = new Registry();
  meterDatabase(registry, database.pool);
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(await registry.metrics())?.[1]);
};
const addMail = (minutesAgo: number): Promise<unknown> =>
  database.pool.query(
    `INSERT INTO mail_outbox (id, sealed, due_at, expires_at, added_at)
     VALUES (gen_random_uuid(), '', now() + interval '15 minutes', now() + interval '1 day', now() - make_interval(mins => $1))`,
    [minutesAgo],
  );

it('shows how many mails wait for the mail server, and for how long, also between two attempts', async () => {
  expect([await valueOf('watchledger_mails_waiting'), await valueOf('watchledger_mails_waiting_seconds')]).toEqual([0, 0]);
  await addMail(20);
  await addMail(5);
  expect(await valueOf('watchledger_mails_waiting')).toBe(2);
  const seconds = await valueOf('watchledger_mails_waiting_seconds');
  expect(seconds).toBeGreaterThanOrEqual(1_200);
  expect(seconds).toBeLessThan(1_260);
});

it('shows what subscribers of status pages wait for', async () => {
  expect([await valueOf('watchledger_status_messages_due'), await valueOf('watchledger_status_messages_overdue_seconds')]).toEqual([0, 0]);
  for (const state of ['due', 'delivered'])
    await database.pool.query(
      `INSERT INTO status_delivery (id, notice_id, subscriber_id, kind, seq, state, next_try, give_up_at)
       VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'email', 1, $1, now() - interval '1 minute', now())`,
      [state],
    );
  expect(await valueOf('watchledger_status_messages_due')).toBe(1);
  expect(await valueOf('watchledger_status_messages_overdue_seconds')).toBeGreaterThanOrEqual(60);
});
