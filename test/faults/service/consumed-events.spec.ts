import { expect, it } from '@jest/globals';
import { ConsumedOrder } from './consumed-events.ts';

const handled = (...positions: readonly number[]): ConsumedOrder => {
  const order = new ConsumedOrder();
  for (const position of positions) order.handle('project-a', position);
  return order;
};

it('allows deliveries in order, and repeats of them', () => {
  const order = handled(1, 4, 1, 4, 9, 4);
  order.handle('project-b', 2);
  expect([order.problems, order.countOf('project-a'), order.countOf('project-b')]).toEqual([[], 3, 1]);
});

it('finds an event that is delivered after a later one', () => {
  expect(handled(1, 9, 4).problems).toEqual(['4 of project-a was delivered first after 9']);
});
