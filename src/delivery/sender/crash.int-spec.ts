import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ProcessKilled } from '../../../test/support/notifications/crashable-process.ts';
import { openPool } from '../../persistence/pool.ts';
import { PROJECT, takingMailer, NotificationWorld } from '../../../test/support/notifications/notification-world.ts';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  // Processes die here, not the database: some hundred lives need not wait for the disk at each commit.
  pool = openPool(database.url, { name: 'mortals', max: 10, synchronousCommit: false });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A Monday, before and after the hour of the report in the zone of the account. */
const BEFORE_REPORT = Date.parse('2026-03-02T07:30:00Z');
const MESSAGES = 7;

/** A failure and its recovery on three channels, and a report: what leads to it, a project that cannot be read for a while, and everything that follows. */
async function live(world: NotificationWorld): Promise<void> {
  world.parked = [['project', PROJECT]];
  await world.happen('CheckFailed', {});
  await world.take();
  world.parked = [];
  await world.follow();
  world.now += 3_600_000;
  await world.follow();
  await world.happen('CheckRecovered', {});
  await world.follow();
}

async function open(): Promise<NotificationWorld> {
  const world = await NotificationWorld.open(pool, takingMailer);
  world.now = BEFORE_REPORT;
  await world.setUp(1, 'pagerduty');
  await world.switchOn(1, 'pagerduty');
  await world.follow();
  return world;
}

/** The same life, killed at this step: what is left of it goes on in a new process. False: it ended before. */
async function killedAt(step: number, how: 'before' | 'after'): Promise<{ readonly world: NotificationWorld; readonly died: boolean }> {
  const world = await open();
  await world.doom(step, how);
  await live(world).catch((error: unknown) => {
    if (!(error instanceof ProcessKilled)) throw error;
  });
  const died = world.life.dead;
  world.parked = [];
  await world.restart();
  await world.follow();
  world.now = Math.max(world.now, BEFORE_REPORT + 3_600_000);
  if (!world.store.events.some(({ type }) => type === 'CheckRecovered')) await world.happen('CheckRecovered', {});
  // A message whose fate is unknown is tried again after a while.
  for (let turn = 0; turn < 4; turn++) await world.pass(60);
  return { world, died };
}

/** Every message that went out, by what the receiver knows it by. */
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
  const { problems, messages } = await world.left();
  if (distinct !== MESSAGES) wrong.push(`${String(distinct)} messages`);
  if (all.length - distinct > 1) wrong.push(`${String(all.length - distinct)} repeats`);
  const stories = new Map<string, string[]>();
  for (const { type, data } of world.recorded()) {
    const id = String(data['messageId']);
    stories.set(id, [...(stories.get(id) ?? []), type]);
  }
  for (const [id, story] of stories)
    if (story.join() !== 'NotificationRequested,NotificationDelivered') wrong.push(`${id}: ${story.join()}`);
  if (stories.size !== distinct) wrong.push(`${String(stories.size)} stories`);
  if (problems.length > 0) wrong.push(`left: ${problems.join()}`);
  if (messages.some((state) => state !== 'delivered')) wrong.push(messages.join());
  if (wrong.length > 0) wrong.push(...world.errors.filter((error) => !(error instanceof ProcessKilled)).map(String));
  expect({ where, wrong }).toEqual({ where, wrong: [] });
}

describe.each(['before', 'after'] as const)('a process that is killed %s a step', (how) => {
  it('loses no message and repeats at most one, whichever step it is', async () => {
    let step = 1;
    for (let died = true; died; step++) {
      const life = await killedAt(step, how);
      ({ died } = life);
      await expectOnce(life.world, `${how} step ${String(step)}`);
    }
    // The path is as long as it is: fewer steps would mean that some of it went round the wrapped ports.
    expect(step).toBeGreaterThan(100);
  }, 600_000);
});
