import { expect, it } from '@jest/globals';
import { PushedOrder } from './pushed-events.ts';

const batch = (previous: number, ...positions: readonly number[]) => ({ scope: 'project-a', previous, positions });

it('allows batches in order, and repeats of them', () => {
  const order = new PushedOrder();
  for (const one of [batch(-1, 0, 3), batch(-1, 0, 3), batch(3, 5), batch(-1, 0, 3, 5), batch(5, 9)]) order.take(one);
  order.take({ scope: 'project-b', previous: -1, positions: [4] });
  expect([order.problems, order.countOf('project-a'), order.countOf('project-b')]).toEqual([[], 4, 1]);
});

it('finds a missing batch and events out of order', () => {
  const order = new PushedOrder();
  order.take(batch(-1, 0, 3));
  order.take(batch(5, 9));
  order.take(batch(9, 12, 11));
  expect(order.problems).toEqual(['a batch of project-a continues 5, and 3 was received', '11 of project-a came out of order']);
});
