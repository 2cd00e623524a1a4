import { expect, it } from '@jest/globals';
import { KeyedMutex } from './keyed-mutex.ts';

const fail = (message: string): Promise<never> => Promise.reject(new Error(message));

it('runs the work of one key one after the other, in order, whatever fails', async () => {
  const mutex = new KeyedMutex();
  const order: string[] = [];
  const step = (name: string) => async (): Promise<void> => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
  };
  const works = [mutex.runExclusive('k', step('a')), mutex.runExclusive('k', () => fail('b')), mutex.runExclusive('k', step('c'))];
  expect((await Promise.allSettled(works)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual(['a begins', 'a ends', 'c begins', 'c ends']);
});

it('lets those that wait share a failure that would be theirs, but not those that come later', async () => {
  const mutex = new KeyedMutex();
  const isOutage = (error: unknown): boolean => error instanceof Error && error.message === 'outage';
  let ran = 0;
  const run = (): Promise<number> => mutex.runExclusive('k', () => Promise.resolve(++ran), isOutage);
  const first = mutex.runExclusive('k', () => fail('outage'), isOutage);
  await expect(Promise.allSettled([first, run(), run()])).resolves.toMatchObject(
    Array.from({ length: 3 }, () => ({ status: 'rejected', reason: { message: 'outage' } })),
  );
  expect(await run()).toBe(1);
});
