import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { KurrentDbDouble } from '../../../../test/support/kurrentdb-double/kurrentdb-double.ts';
import { sampleEvent } from '../../../../test/support/kurrentdb-double/sample-events.ts';
import { thorough } from '../../../../test/support/thorough.ts';
import type { FollowedEvent } from '../event-store.ts';
import { StoreReplaced } from './follow.ts';
import { KurrentDbEventStore } from './kurrentdb-event-store.ts';

/** Generous for busy machines: the tests distinguish silence, not slowness. */
const PATIENCE = { attemptMs: 4_000, deadlineMs: 60_000, silenceMs: 200, identityMs: 2_000 };

/** Collects the events of a subscription until stopped. */
class Collected {
  readonly events: FollowedEvent[] = [];
  failure: unknown;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(store: KurrentDbEventStore, from: string | null = null) {
    this.running = this.collect(store, from).catch((error: unknown) => {
      this.failure = error;
    });
  }

  get revisions(): number[] {
    return this.events.map(({ revision }) => revision);
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + 200_000;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`still waiting with ${String(this.events.length)} events`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async collect(store: KurrentDbEventStore, from: string | null): Promise<void> {
    for await (const batch of store.follow(from, this.stopping.signal)) this.events.push(...batch);
  }
}

let double: KurrentDbDouble;
let store: KurrentDbEventStore;
let collected: Collected;
let next: number;
beforeEach(async () => {
  double = await KurrentDbDouble.start();
  store = new KurrentDbEventStore(double.url, PATIENCE);
  next = 0;
});
afterEach(async () => {
  await collected.stop();
  await store.close();
  await double.stop();
});

async function write(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1, next += 1) {
    await store.append('s-1', next === 0 ? 'no stream' : next - 1, [sampleEvent('s-1', next)]);
  }
}

const allInOrder = (): number[] => Array.from({ length: next }, (_, revision) => revision);

describe('a subscription to the whole store', () => {
  it('delivers each event once and in order, from catching up to live', async () => {
    await write(40);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 40);
    await write(20);
    await collected.until(() => collected.events.length === 60);
    expect(collected.revisions).toEqual(allInOrder());
    const positions = collected.events.map(({ position }) => position);
    expect([...new Set(positions)].sort()).toEqual(positions);
    expect(collected.events[0]).toMatchObject({ ...sampleEvent('s-1', 0), stream: 's-1', revision: 0 });
  });

  it('misses nothing written during an interruption, even if it started before the first event', async () => {
    double.appendSystemEvents(5);
    collected = new Collected(store);
    await collected.until(() => double.subscriptions.count === 1);
    await write(3);
    await collected.until(() => collected.events.length === 3);
    let away = true;
    double.faults.beforeRead = async () => {
      if (away) await write(20);
      away = false;
    };
    double.dropConnections();
    await collected.until(() => !away);
    await write(1);
    await collected.until(() => collected.revisions.at(-1) === next - 1);
    expect(collected.revisions).toEqual(allInOrder());
  });

  it('starts strictly after a position', async () => {
    await write(5);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 5);
    await collected.stop();
    const position = collected.events[2]?.position ?? '';
    collected = new Collected(store, position);
    await collected.until(() => collected.events.length === 2);
    expect(collected.revisions).toEqual([3, 4]);
  });

  const strikes = {
    'connections are cut': () => {
      double.dropConnections();
    },
    'the server drops it as too slow': () => {
      double.subscriptions.drop();
    },
    'it falls silent': () => {
      double.subscriptions.silence();
    },
    'the server restarts': () => double.restart({ keepState: true }),
  } satisfies Record<string, () => void | Promise<void>>;

  it.each(Object.entries<() => void | Promise<void>>(strikes))('misses nothing and repeats nothing when %s', async (_, strike) => {
    collected = new Collected(store);
    const rounds = thorough(4, 2);
    for (let round = 0; round < rounds; round += 1) {
      await write(10);
      await strike();
      await write(10);
      await collected.until(() => collected.events.length >= next);
    }
    expect(collected.revisions).toEqual(allInOrder());
    expect(store.counters.interruptions).toBeGreaterThanOrEqual(rounds);
  });

  it('resumes after the server was suspended', async () => {
    collected = new Collected(store);
    await write(10);
    await collected.until(() => collected.events.length === 10);
    double.stall();
    await new Promise((resolve) => setTimeout(resolve, 800));
    double.resume();
    await write(10);
    await collected.until(() => collected.events.length >= 20);
    expect(collected.revisions).toEqual(allInOrder());
  });

  it('is not affected by an append without an answer', async () => {
    await write(1);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 1);
    double.faults.appends.push('lose reply');
    await write(1);
    await collected.until(() => collected.events.length === 2);
    expect(store.counters.interruptions).toBe(0);
    expect(double.subscriptions.count).toBe(1);
  });

  it('stays subscribed while idle, even while the server writes system events', async () => {
    await write(1);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 1);
    double.appendSystemEvents(200);
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(store.counters.interruptions).toBe(0);
    await write(1);
    await collected.until(() => collected.events.length === 2);
  });

  it('does not resubscribe when an event arrives during the comparison with the head', async () => {
    await write(1);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 1);
    let compared = 0;
    double.faults.beforeRead = async () => {
      compared += 1;
      double.appendSystemEvents(40);
      await write(1);
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await collected.until(() => compared === 3);
    await collected.until(() => collected.events.length === next);
    expect(collected.revisions).toEqual(allInOrder());
    expect(store.counters.interruptions).toBe(0);
  });

  it('skips and counts events of other applications', async () => {
    await write(1);
    double.appendForeignEvent('orders-1');
    double.appendForeignEvent('orders-1');
    await write(1);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 2);
    expect(collected.revisions).toEqual([0, 1]);
    expect(store.counters.foreign).toBe(2);
  });

  it('fails when the server was replaced by another one', async () => {
    await write(3);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 3);
    await double.restart({ keepState: false });
    next = 0;
    await write(40);
    await collected.until(() => collected.failure !== undefined);
    expect(collected.failure).toBeInstanceOf(StoreReplaced);
    expect(collected.events).toHaveLength(3);
  });

  it('fails when the server came back with fewer events', async () => {
    await write(3);
    collected = new Collected(store);
    await collected.until(() => collected.events.length === 3);
    await double.restart({ keepState: false });
    await collected.until(() => collected.failure !== undefined);
    expect(collected.failure).toBeInstanceOf(StoreReplaced);
  });
});
