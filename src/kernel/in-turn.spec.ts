import { expect, it } from '@jest/globals';
import { inTurn, TooManyWait } from './in-turn.ts';

it('never does more at once than it may, whatever fails, and in the order in which it came', async () => {
  const turn = inTurn(2);
  const begun: number[] = [];
  let [running, most] = [0, 0];
  const work = async (index: number): Promise<number> => {
    begun.push(index);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
    if (index % 3 === 0) throw new Error('failed');
    return index;
  };
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  const done = await Promise.allSettled(numbers.map((index) => turn(() => work(index))));
  expect(done.map(({ status }) => status === 'fulfilled')).toEqual(numbers.map((index) => index % 3 !== 0));
  expect([most, begun]).toEqual([2, numbers]);
});

it('refuses at once when too many wait, and nobody else for it', async () => {
  const turn = inTurn(1, 2);
  const done = await Promise.allSettled([1, 2, 3, 4].map((index) => turn(() => Promise.resolve(index))));
  expect(done.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([1, 2, 3, new TooManyWait()]);
  expect(await turn(() => Promise.resolve(5))).toBe(5);
});
