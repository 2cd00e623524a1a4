import { describe, expect, it } from '@jest/globals';
import { ConcurrencyLimit, type ConcurrencyLimitOptions, QueueFull, type WorkSource } from './concurrency-limit.ts';

it('starts work in the order of arrival and never exceeds the limit, also when work fails', async () => {
  const limit = new ConcurrencyLimit(2);
  const started: number[] = [];
  let [running, peak] = [0, 0];
  const work = async (index: number): Promise<number> => {
    started.push(index);
    peak = Math.max(peak, ++running);
    await new Promise(setImmediate);
    running--;
    if (index % 3 === 0) throw new Error('failed');
    return index;
  };
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const results = await Promise.allSettled(numbers.map((index) => limit.run(() => work(index))));
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual(numbers.map((index) => index % 3 !== 0));
  expect([peak, started]).toEqual([2, numbers]);
});

it('refuses a caller at once when the queue is full, without harm to the others', async () => {
  const limit = new ConcurrencyLimit(1, { maxQueue: 2 });
  const results = await Promise.allSettled([1, 2, 3, 4].map((index) => limit.run(() => Promise.resolve(index))));
  expect(results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([1, 2, 3, new QueueFull()]);
  expect(limit.lane(false).refused).toBe(1);
  expect(await limit.run(() => Promise.resolve(5))).toBe(5);
});

it('gives a permit back once, however often it is released', async () => {
  const limit = new ConcurrencyLimit(1);
  const release = await limit.acquire();
  release();
  release();
  await limit.acquire();
  const started: string[] = [];
  void limit.run(() => Promise.resolve(started.push('second')));
  await new Promise(setImmediate);
  expect([started, limit.queued]).toEqual([[], 1]);
});

it('reports how long the oldest waiter of each lane has waited, and how many accounts are late', async () => {
  let now = 1_000;
  const limit = new ConcurrencyLimit(1, { monotonicNow: () => now });
  const release = await limit.acquire();
  void limit.acquire({ account: 1 });
  now = 1_250;
  void limit.acquire({ account: 1 });
  void limit.acquire({ account: 2 });
  void limit.acquire({ account: 2, isOnDemand: true });
  now = 1_300;
  expect(limit.lane(false, 100)).toEqual({ queued: 3, queuedMs: 300, lateAccounts: 1, refused: 0 });
  expect(limit.lane(true, 100)).toEqual({ queued: 1, queuedMs: 50, lateAccounts: 0, refused: 0 });
  release();
  expect([limit.queued, limit.lane(false).queuedMs]).toEqual([3, 50]);
});

/** A limit whose permits are held until the test gives them back. */
function heldLimit(max: number, options: ConcurrencyLimitOptions = {}) {
  const limit = new ConcurrencyLimit(max, options);
  const started: string[] = [];
  const releases: { readonly name: string; readonly release: () => void }[] = [];
  const refused: string[] = [];
  const ask = (name: string, source: WorkSource): void => {
    limit.acquire(source).then(
      (release) => {
        started.push(name);
        releases.push({ name, release });
      },
      () => refused.push(name),
    );
  };
  const settled = () => new Promise((done) => setImmediate(done));
  return {
    ...{ limit, started, refused, ask, settled },
    times: (count: number, name: string, source: WorkSource) => {
      for (let nth = 0; nth < count; nth++) ask(name, source);
    },
    /** Ends the oldest piece of work that is under way. */
    async end(count = 1): Promise<void> {
      await settled();
      for (let nth = 0; nth < count; nth++) {
        releases.shift()?.release();
        await settled();
      }
    },
  };
}

const countOf = (names: readonly string[], name: string): number => names.filter((one) => one === name).length;

describe('accounts that share a concurrency limit', () => {
  it('take turns, so that one with much work delays the others by one turn only', async () => {
    const { started, ask, times, end } = heldLimit(1);
    times(50, 'greedy', { account: 1 });
    ask('other', { account: 2 });
    ask('third', { account: 3 });
    await end(4);
    expect(started).toEqual(['greedy', 'greedy', 'other', 'third', 'greedy']);
  });

  it('leave free as many permits as each of them holds', async () => {
    const { limit, started, ask, times, settled } = heldLimit(100, { shares: 'permits and queue' });
    times(388, 'first', { account: 1 });
    await settled();
    expect([started.length, limit.largestShare]).toEqual([50, 0.5]);
    times(388, 'second', { account: 2 });
    await settled();
    expect(countOf(started, 'second')).toBe(25);
    ask('third', { account: 3 });
    await settled();
    expect(started.at(-1)).toBe('third');
  });

  it('hold equal shares when the work of the first ends while others wait', async () => {
    const { started, times, end } = heldLimit(100, { shares: 'permits and queue' });
    for (const [name, account] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      times(400, name, { account });
    await end(300);
    const held = started.slice(300);
    expect(held.length).toBeGreaterThanOrEqual(70);
    for (const name of ['a', 'b', 'c']) expect(Math.abs(countOf(held, name) - held.length / 3)).toBeLessThanOrEqual(2);
  });

  it('are bound by a fixed number as well', async () => {
    const { started, times, settled } = heldLimit(100, { shares: 'permits and queue', maxPerAccount: 7 });
    times(20, 'a', { account: 1 });
    times(20, 'b', { account: 2 });
    await settled();
    expect([countOf(started, 'a'), countOf(started, 'b')]).toEqual([7, 7]);
  });

  it('are refused alone when their share of the queue is full', async () => {
    const { limit, refused, ask, times, settled } = heldLimit(1, { shares: 'permits and queue', maxQueue: 100 });
    times(400, 'greedy', { account: 1 });
    await settled();
    expect([limit.queued, countOf(refused, 'greedy'), limit.lane(false).refused]).toEqual([50, 349, 349]);
    times(20, 'other', { account: 2 });
    ask('third', { account: 3 });
    await settled();
    expect([countOf(refused, 'other'), countOf(refused, 'third')]).toEqual([0, 0]);
  });

  it('have all permits at their disposal again after every kind of end', async () => {
    const limit = new ConcurrencyLimit(3, { shares: 'permits and queue', maxQueue: 1_000 });
    const work = async (fails: boolean): Promise<void> => {
      await new Promise(setImmediate);
      if (fails) throw new Error('failed');
    };
    const sources = Array.from({ length: 300 }, (_, nth) => ({ account: nth % 7, isOnDemand: nth % 2 === 0 }));
    await Promise.allSettled(sources.map((source, nth) => limit.run(() => work(nth % 3 === 0), source)));
    expect([limit.queued, limit.largestShare]).toEqual([0, 0]);
    const releases = await Promise.all([1, 2, 3].map((account) => limit.acquire({ account })));
    expect(releases).toHaveLength(3);
  });
});

describe('work on demand', () => {
  it('yields to scheduled work, and gets every fourth permit while both wait', async () => {
    const { started, times, end } = heldLimit(1);
    times(1, 'first', {});
    times(8, 'job', { account: 1, isOnDemand: true });
    times(8, 'schedule', { account: 2 });
    await end(9);
    expect(started.slice(1)).toEqual([
      ...['schedule', 'schedule', 'schedule', 'job'],
      ...['schedule', 'schedule', 'schedule', 'job'],
      'schedule',
    ]);
  });

  it('leaves room for the schedule of its own account', async () => {
    const { started, times, settled } = heldLimit(90, { shares: 'permits and queue' });
    times(400, 'job', { account: 1, isOnDemand: true });
    await settled();
    expect(started).toHaveLength(30);
    times(10, 'schedule', { account: 1 });
    await settled();
    expect(countOf(started, 'schedule')).toBe(10);
  });

  it('of one account leaves room for that of the next, and of all accounts for schedules', async () => {
    const { started, ask, times, settled } = heldLimit(90, { shares: 'permits and queue' });
    times(400, 'greedy', { account: 1, isOnDemand: true });
    await settled();
    times(400, 'next', { account: 2, isOnDemand: true });
    await settled();
    expect([countOf(started, 'greedy'), countOf(started, 'next')]).toEqual([30, 20]);
    for (let account = 3; account < 200; account++) times(9, 'many', { account, isOnDemand: true });
    for (let account = 200; account < 220; account++) ask('schedule', { account });
    await settled();
    expect(started.filter((name) => name !== 'schedule').length).toBeLessThanOrEqual(68);
    expect(countOf(started, 'schedule')).toBe(20);
  });

  it('gets its share while scheduled work of many accounts waits all the time', async () => {
    const { started, ask, times, end } = heldLimit(16, { shares: 'permits and queue' });
    for (let account = 1; account <= 200; account++) times(5, 'schedule', { account });
    for (let nth = 0; nth < 20; nth++) ask('job', { account: 201 + nth, isOnDemand: true });
    await end(160);
    expect(countOf(started, 'job')).toBe(20);
  });
});
