import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { adaptHeapGrowth } from './heap-growth.ts';

let percents: number[];
let timer: NodeJS.Timeout;
beforeEach(() => {
  percents = [];
  timer = adaptHeapGrowth((percent) => percents.push(percent), 50);
});
afterEach(() => {
  clearInterval(timer);
});

const isSetTo = (percent: number): Promise<void> => {
  const seen = percents.length;
  return until(() => Promise.resolve(percents.slice(seen).includes(percent)), 10_000, `the heap may grow by ${String(percent)} %`);
};

it('lets the heap grow by a quarter while the event loop is idle', async () => {
  expect(percents).toEqual([25]);
  await isSetTo(25);
});

it('lets it double while the event loop is busy, and no longer', async () => {
  const doubled = isSetTo(100);
  let isOver = false;
  void doubled.catch(() => undefined).finally(() => (isOver = true));
  while (!isOver) {
    const end = performance.now() + 20;
    while (performance.now() < end);
    await turn();
  }
  await doubled;
  await isSetTo(25);
});
