import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { until } from '../../../test/support/until.ts';
import { PostgresEventStore } from '../../platform/event-store/postgres/postgres-event-store.ts';
import { derivedId } from '../../kernel/ids.ts';
import { eventsAt, PostgresLog } from '../../platform/log/postgres-log.ts';
import { LogSearcher } from '../../platform/log/search.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { PostgresWake } from '../../platform/postgres/wake-postgres.ts';
import type { PartitionBy, SubscriptionKey, SubscriptionSettings } from './subscription.ts';
import { encodeSubscription } from './subscription-codec.ts';
import { SubscriptionStore } from './subscription-store.ts';
import { type SubscriptionPage, Subscriptions } from './subscriptions.ts';

let database: TestDatabase;
let store: PostgresEventStore;
let log: PostgresLog;
/** Two instances of the service. */
let one: Subscriptions;
let other: Subscriptions;
let wakes: [PostgresWake, PostgresWake];
let searches = 0;
let key: SubscriptionKey;
let appended = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  const wake = new LocalWake();
  store = new PostgresEventStore(pool, wake);
  log = new PostgresLog(pool, wake);
  const searcher = new LogSearcher(pool);
  const find: LogSearcher['find'] = (search) => {
    searches++;
    return searcher.find(search);
  };
  const open = (instance: PostgresWake): Subscriptions =>
    new Subscriptions(
      new SubscriptionStore(pool),
      { log, searcher: { find }, eventsAt: (positions) => eventsAt(pool, positions) },
      { maxSubscriptions: 3, maxParkedEvents: 2 },
      { deliveries: () => undefined },
      instance,
    );
  wakes = [new PostgresWake(database.url), new PostgresWake(database.url)];
  [one, other] = [open(wakes[0]), open(wakes[1])];
});
afterAll(async () => {
  await Promise.all(wakes.map((wake) => wake.close()));
  await store.close();
  await database.drop();
});

/** Appends an event of each scope, and answers the position before them. */
async function append(scopes: readonly string[], type = 'ProjectRenamed'): Promise<number> {
  const before = await log.head();
  const events = scopes.map((scope) => {
    const id = derivedId('event', String(appended++));
    const meta = { actor: { kind: 'user', id: '7' }, correlationId: id, causationId: null, commandId: id, occurredAt: '' } as const;
    return { ...{ id, type, version: 1, scope, data: {} }, meta };
  });
  await store.append(`stream ${String(appended)}`, 'no stream', events);
  return before;
}

const settingsOf = (partition: PartitionBy, more: Partial<SubscriptionSettings> = {}): SubscriptionSettings => ({
  filter: { types: ['ProjectRenamed'], scopes: null, reach: 'log' },
  ...{ partition, maxInFlight: 100, ackSeconds: 30 },
  ...more,
});
const read = (from: Subscriptions, limit = 100, consumer = 'a'): Promise<SubscriptionPage> =>
  from.read(key, { consumer, limit, scopes: null });
const positions = ({ deliveries }: SubscriptionPage): readonly number[] => deliveries.map(({ n }) => n);
const tokensOf = ({ deliveries }: SubscriptionPage): readonly number[] => deliveries.map(({ token }) => token);
const stateOf = async () => (await one.get(key)).state;
const expireLeases = (): Promise<unknown> =>
  database.pool.query(`UPDATE subscription SET state = regexp_replace(state, ',1[0-9]{12}\\]', ',1]', 'g'), version = version + 1`);

let users = 0;
beforeEach(() => {
  key = { userId: ++users, name: 'billing' };
});

describe('a subscription', () => {
  it('is read by consumers of two instances at once, each event by one of them, in order within a partition', async () => {
    const scopes = Array.from({ length: 60 }, (_, index) => `project-${String(index % 7)}`);
    await one.put(key, settingsOf('project'), await append(scopes));
    const done: number[] = [];
    const consume = async (instance: Subscriptions, consumer: string): Promise<void> => {
      while (done.length < scopes.length) {
        const page = await read(instance, 3, consumer);
        done.push(...positions(page));
        await instance.acknowledge(key, tokensOf(page));
      }
    };
    await Promise.all([consume(one, 'a'), consume(other, 'b'), consume(one, 'c'), consume(other, 'd')]);
    expect(new Set(done).size).toBe(scopes.length);
    const [first = 0] = done.toSorted((left, right) => left - right);
    for (const scope of new Set(scopes)) {
      const ofScope = done.filter((n) => scopes[n - first] === scope);
      expect(ofScope).toEqual(ofScope.toSorted((left, right) => left - right));
    }
    expect(await stateOf()).toMatchObject({ searched: await log.head(), open: [] });
  });

  it('delivers again through another instance what a consumer that died had read, and refuses its late acknowledgement', async () => {
    await one.put(key, settingsOf('project'), await append(['project-a', 'project-a']));
    const lost = await read(one);
    expect(positions(await read(other, 100, 'b'))).toEqual([]);
    await expireLeases();
    const again = await read(other, 100, 'b');
    expect(positions(again)).toEqual(positions(lost));
    expect(again.deliveries[0]).toMatchObject({ attempt: 2 });
    expect(tokensOf(again)[0]).toBeGreaterThan(tokensOf(lost)[0] ?? Infinity);
    expect(await one.acknowledge(key, tokensOf(lost))).toEqual({ done: 0, stale: tokensOf(lost) });
    expect(await one.acknowledge(key, tokensOf(again))).toEqual({ done: 1, stale: [] });
    expect(await other.acknowledge(key, tokensOf(again))).toEqual({ done: 0, stale: tokensOf(again) });
  });

  it('delivers again when a lease is over, although the clock of the database was set back meanwhile', async () => {
    const before = await append(['project-a']);
    await one.put(key, settingsOf('project', { ackSeconds: 1 }), before);
    expect(positions(await read(one))).toEqual([before + 1]);
    // As a clock that was an hour ahead leaves it.
    const { state } = await one.get(key);
    const [open] = state.open;
    const ahead = { ...state, open: [{ ...open!, lease: { ...open!.lease!, until: open!.lease!.until + 3_600_000 } }] };
    await database.pool.query(
      `UPDATE subscription SET state = $3, version = version + 1, saved_at = now() + interval '1 hour' WHERE user_id = $1 AND name = $2`,
      [key.userId, key.name, encodeSubscription(ahead)],
    );
    expect(positions(await read(other))).toEqual([]);
    await until(async () => positions(await read(other)).length === 1, 5_000, 'the end of the lease');
  });

  it('accepts an acknowledgement after the lease as long as the event was not delivered again', async () => {
    await one.put(key, settingsOf('project'), await append(['project-a']));
    const page = await read(one);
    await expireLeases();
    expect(await other.acknowledge(key, tokensOf(page))).toEqual({ done: 1, stale: [] });
  });

  it('stores how far a filter without matches was searched, and answers from one bounded search', async () => {
    const before = await append(Array.from({ length: 1_200 }, () => 'project-a'));
    await one.put(key, settingsOf('none', { filter: { types: ['BadgeWithdrawn'], scopes: null, reach: 'log' } }), before);
    searches = 0;
    expect(positions(await read(one))).toEqual([]);
    expect(searches).toBe(1);
    expect((await stateOf()).searched).toBe(before + 1_200);
    expect(positions(await read(one))).toEqual([]);
    expect(searches).toBe(1);
  });

  it('reads a bounded number of events ahead while one partition holds up the others', async () => {
    const before = await append(['project-b', ...Array.from({ length: 1_300 }, () => 'project-a')]);
    await append(['project-c']);
    await one.put(key, settingsOf('project', { maxInFlight: 10 }), before);
    const first = await read(one, 1_000);
    expect(positions(first)).toEqual([before + 1, before + 2]);
    for (let reads = 0; reads < 3; reads++) expect(positions(await read(one, 1_000))).toEqual([]);
    const { open } = await stateOf();
    expect(open.length).toBe(1_010);
    expect(await read(one, 1_000)).toMatchObject({ canContinue: false, isWaiting: false });
  });

  it('parks an event with its reason, continues its partition, and replays it', async () => {
    const before = await append(['project-a', 'project-a', 'project-b']);
    await one.put(key, settingsOf('project'), before);
    const page = await read(one);
    const [first = 0, second = 0] = tokensOf(page);
    await one.refuse(key, [first], { action: 'park', reason: 'no such customer' });
    expect(await other.parked(key)).toMatchObject([{ n: before + 1, attempts: 1, consumer: 'a', reason: 'no such customer' }]);
    await other.acknowledge(key, [second]);
    const next = await read(other);
    expect(positions(next)).toEqual([before + 2]);
    expect(next.position).toBe(before + 1);
    expect(await one.replay(key, [before + 9])).toBe(0);
    expect(await one.replay(key, null)).toBe(1);
    expect(await one.parked(key)).toEqual([]);
    expect(positions(await read(one))).toEqual([]);
    await one.acknowledge(key, tokensOf(next));
    expect(positions(await read(one))).toEqual([before + 1]);
  });

  it('parks no more than it may, all of a request or nothing', async () => {
    await one.put(key, settingsOf('none'), await append(['project-a', 'project-a', 'project-a']));
    const page = await read(one);
    await expect(one.refuse(key, tokensOf(page), { action: 'park', reason: '' })).rejects.toMatchObject({ code: 'TOO_MANY_PARKED_EVENTS' });
    expect(await one.parked(key)).toEqual([]);
    expect(await one.acknowledge(key, tokensOf(page))).toEqual({ done: 3, stale: [] });
  });

  it('delivers parked events with the others again after a reset before them, and keeps those before it', async () => {
    const before = await append(['project-a', 'project-b', 'project-c']);
    await one.put(key, settingsOf('project'), before);
    const page = await read(one);
    await one.refuse(key, [tokensOf(page)[0] ?? 0, tokensOf(page)[1] ?? 0], { action: 'park', reason: '' });
    await other.reset(key, before + 1);
    expect(await one.acknowledge(key, tokensOf(page))).toMatchObject({ done: 0 });
    expect((await one.parked(key)).map(({ n }) => n)).toEqual([before + 1]);
    expect(positions(await read(one))).toEqual([before + 2, before + 3]);
  });

  it('begins again after its position with another filter, and keeps everything else when it is put again', async () => {
    const before = await append(['project-a', 'project-b']);
    await one.put(key, settingsOf('project'), before);
    const page = await read(one);
    expect(await one.put(key, settingsOf('project', { ackSeconds: 60 }), -1)).toBe('changed');
    expect(positions(await read(one))).toEqual([]);
    await one.acknowledge(key, tokensOf(page).slice(0, 1));
    await one.put(key, settingsOf('stream'), -1);
    expect(positions(await read(one))).toEqual([before + 2]);
  });

  it('drops what its reader may not read any more, before and after it was found', async () => {
    const before = await append(['project-a', 'project-a', 'project-b', 'project-b']);
    await one.put(key, settingsOf('project'), before);
    const readable = (scopes: readonly string[]) => one.read(key, { consumer: 'a', limit: 100, scopes });
    const first = await readable(['project-a', 'project-b']);
    await one.acknowledge(key, tokensOf(first));
    expect(positions(await readable(['project-b']))).toEqual([before + 4]);
    expect((await stateOf()).open.map(({ n }) => n)).toEqual([before + 4]);
  });

  it('wakes readers of another instance after a reset, a replay, new settings and a deletion', async () => {
    await one.put(key, settingsOf('none'), -1);
    await append(['project-a']);
    await one.refuse(key, tokensOf(await read(one, 1)), { action: 'park', reason: 'broken' });
    // Only what rings again and again is sure to be heard: the listener may still be connecting.
    const woken = async (change: () => Promise<unknown>): Promise<void> => {
      let heard = false;
      const stop = other.onChange(key, () => (heard = true));
      for (let tries = 0; tries < 100 && !heard; tries++) {
        await change();
        for (let waits = 0; waits < 5 && !heard; waits++) await new Promise((done) => setTimeout(done, 20));
      }
      stop();
      expect(heard).toBe(true);
    };
    await woken(() => one.reset(key, -1));
    await woken(() => one.put(key, settingsOf('project'), -1));
    await one.refuse(key, tokensOf(await read(one, 1)), { action: 'park', reason: 'broken' });
    let replays = 0;
    const stop = other.onChange(key, () => replays++);
    expect(await one.replay(key, null)).toBe(1);
    await until(() => Promise.resolve(replays > 0), 5_000, 'the replay to be heard');
    await one.delete(key);
    await until(() => Promise.resolve(replays > 1), 5_000, 'the deletion to be heard');
    stop();
  });

  it('refuses to go on beyond the end of a log that became shorter, until it is reset', async () => {
    await one.put(key, settingsOf('project'), (await log.head()) + 5);
    await expect(read(one)).rejects.toMatchObject({ code: 'SUBSCRIPTION_BEYOND_LOG' });
    await one.reset(key, await log.head());
    expect(positions(await read(one))).toEqual([]);
  });

  it('is one of a bounded number of an account, and unknown once it is deleted or its account erased', async () => {
    const { userId } = key;
    const put = (name: string) => one.put({ userId, name }, settingsOf('none'), -1);
    for (const name of ['a', 'b', 'c']) expect(await put(name)).toBe('created');
    await expect(put('d')).rejects.toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS' });
    expect(await put('c')).toBe('changed');
    await one.delete({ userId, name: 'c' });
    await expect(one.read({ userId, name: 'c' }, { consumer: 'a', limit: 1, scopes: null })).rejects.toMatchObject({
      code: 'SUBSCRIPTION_NOT_FOUND',
    });
    await database.pool.query(`INSERT INTO erasures (user_id, noted) VALUES ($1, '{}')`, [userId]);
    await new SubscriptionStore(database.pool).deleteOfErased();
    expect(await one.list(userId)).toEqual([]);
  });
});
