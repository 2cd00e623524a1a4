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

it('neither begins aborted work that waits, nor ends the key of aborted work that runs', async () => {
  const mutex = new KeyedMutex();
  const began: string[] = [];
  let finish: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (finish = resolve));
  const [first, second] = [new AbortController(), new AbortController()];
  const work =
    (name: string, until = Promise.resolve()) =>
    (): Promise<void> => {
      began.push(name);
      return until;
    };
  const works = [
    mutex.runExclusive('k', work('a', running), first.signal),
    mutex.runExclusive('k', work('b'), second.signal),
    mutex.runExclusive('k', work('c')),
  ];
  await Promise.resolve();
  second.abort(new Error('late'));
  first.abort(new Error('late'));
  await expect(works[0]).rejects.toThrow('late');
  await expect(works[1]).rejects.toThrow('late');
  expect(began).toEqual(['a']);
  finish();
  await works[2];
  expect(began).toEqual(['a', 'c']);
});
