import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ProcessKilled } from '../../../test/support/notifications/crashable-process.ts';
import { thorough } from '../../../test/support/thorough.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import { PROJECT, acceptingMailer, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  // Only processes are killed, not the database, so commits need not wait for the disk.
  pool = openPool(database.url, { name: 'crash tests', max: 10, synchronousCommit: false });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A Monday, before and after the hour of the report in the zone of the account. */
const BEFORE_REPORT = Date.parse('2026-03-02T07:30:00Z');
const MESSAGES = 8;
/** A prime, so that the killed steps are of every kind: statements, appends, reads and sends. */
const STRIDE = thorough(1, 11);

/** A failure and its recovery on three channels, a report, and the notice of a new channel, with a project that is parked at first. */
async function runScenario(world: NotificationWorld): Promise<void> {
  world.parked = [['project', PROJECT]];
  await world.append('CheckFailed', {});
  await world.processEvents();
  world.parked = [];
  await world.processAndSend();
  world.now += 3_600_000;
  await world.processAndSend();
  await world.append('CheckRecovered', {});
  await world.processAndSend();
}

async function open(): Promise<NotificationWorld> {
  const world = await NotificationWorld.open(pool, acceptingMailer);
  world.now = BEFORE_REPORT;
  await world.setUp(1, 'pagerduty');
  await world.switchOn(1, 'pagerduty');
  await world.processAndSend();
  return world;
}

/** Runs the scenario in a process that is killed at this step, and completes it in a new process; `died` is false if it had fewer steps. */
async function runKilledAt(step: number, how: 'before' | 'after'): Promise<{ readonly world: NotificationWorld; readonly died: boolean }> {
  const world = await open();
  await world.killAt(step, how);
  await runScenario(world).catch((error: unknown) => {
    if (!(error instanceof ProcessKilled)) throw error;
  });
  const died = world.crashable.isDead;
  world.parked = [];
  await world.restart();
  await world.processAndSend();
  world.now = Math.max(world.now, BEFORE_REPORT + 3_600_000);
  if (!world.store.events.some(({ type }) => type === 'CheckRecovered')) await world.append('CheckRecovered', {});
  // A delivery without a recorded result is retried later.
  for (let attempt = 0; attempt < 4; attempt++) await world.advance(60);
  return { world, died };
}

/** The sent messages by the id that their receiver deduplicates by. */
const sent = ({ posts, mails }: NotificationWorld): readonly string[] => [
  ...posts.map(({ url, headers, body }) => {
    const { event_action: action, dedup_key: key } = JSON.parse(String(body)) as Readonly<Record<string, string>>;
    return url.includes('pagerduty') ? `${String(action)} ${String(key)}` : (headers['webhook-id'] ?? '');
  }),
  ...mails.map(({ messageId }) => messageId ?? ''),
];

async function expectOnce(world: NotificationWorld, where: string): Promise<void> {
  const all = sent(world);
  const wrong: string[] = [];
  const distinct = new Set(all).size;
  const { problems, messages } = await world.remaining();
  if (distinct !== MESSAGES) wrong.push(`${String(distinct)} messages`);
  if (all.length - distinct > 1) wrong.push(`${String(all.length - distinct)} repeats`);
  const eventsByMessage = new Map<string, string[]>();
  for (const { type, data } of world.recorded()) {
    const id = String(data['messageId']);
    eventsByMessage.set(id, [...(eventsByMessage.get(id) ?? []), type]);
  }
  for (const [id, types] of eventsByMessage)
    if (types.join() !== 'NotificationRequested,NotificationDelivered') wrong.push(`${id}: ${types.join()}`);
  if (eventsByMessage.size !== distinct) wrong.push(`events of ${String(eventsByMessage.size)} messages`);
  if (problems.length > 0) wrong.push(`waiting: ${problems.join()}`);
  if (messages.some((state) => state !== 'delivered')) wrong.push(messages.join());
  if (wrong.length > 0) wrong.push(...world.errors.filter((error) => !(error instanceof ProcessKilled)).map(String));
  expect({ where, wrong }).toEqual({ where, wrong: [] });
}

describe.each(['before', 'after'] as const)('a process that is killed %s a step', (how) => {
  it('loses no message and repeats at most one, whichever step it is', async () => {
    let step = 1;
    for (let died = true; died; step += STRIDE) {
      const run = await runKilledAt(step, how);
      ({ died } = run);
      await expectOnce(run.world, `${how} step ${String(step)}`);
    }
    // Fewer steps would mean that some accesses bypass the wrapped ports.
    expect(step).toBeGreaterThan(100);
  }, 3_600_000);
});
