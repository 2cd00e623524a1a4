import { expect, it } from '@jest/globals';
import { ConcurrencyLimit, QueueFull } from './concurrency-limit.ts';

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
  expect(limit.refused).toBe(1);
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

it('reports how long the oldest waiter has waited', async () => {
  let now = 1_000;
  const limit = new ConcurrencyLimit(1, { monotonicNow: () => now });
  const release = await limit.acquire();
  void limit.acquire();
  now = 1_250;
  void limit.acquire();
  expect([limit.queued, limit.queuedMs]).toEqual([2, 250]);
  release();
  expect([limit.queued, limit.queuedMs]).toEqual([1, 0]);
});
