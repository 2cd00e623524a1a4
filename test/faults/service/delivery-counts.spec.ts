import { expect, it } from '@jest/globals';
import { DeliveryCounts } from './delivery-counts.ts';

it('allows one delivery, and a repeat for each crash since the first', () => {
  const arrivals = new DeliveryCounts();
  arrivals.hear('calm');
  arrivals.crashBegins();
  arrivals.hear('on its way');
  arrivals.crashesOver();
  arrivals.hear('after');
  expect(arrivals.tooOften()).toEqual([]);
  arrivals.hear('calm');
  arrivals.hear('on its way');
  expect(arrivals.tooOften()).toEqual([]);
  expect(arrivals.repeats).toBe(2);
  arrivals.hear('after');
  expect(arrivals.tooOften()).toEqual([expect.stringContaining('after came 2 times, and 0 crashes')]);
});

it('allows one repeat per crash', () => {
  const arrivals = new DeliveryCounts();
  arrivals.hear('often');
  for (let crash = 0; crash < 2; crash++) {
    arrivals.crashBegins();
    arrivals.crashesOver();
    arrivals.hear('often');
  }
  expect(arrivals.tooOften()).toEqual([]);
  arrivals.hear('often');
  expect(arrivals.tooOften()).toHaveLength(1);
});
