import { expect, it } from '@jest/globals';
import { ReactionOrder } from './reaction-order.ts';

const effect = (position: number, key = `id-${String(position)}`) => ({ scope: 'project-a', position, key });

it('allows effects in order, repeats of them, and a failed one again before the next', () => {
  const order = new ReactionOrder();
  for (const position of [0, 3, 0, 3]) order.take(effect(position), true);
  order.take(effect(5), false);
  order.take(effect(3), true);
  order.take(effect(5), true);
  order.take(effect(9), true);
  expect([order.problems, order.acceptedOf('project-a')]).toEqual([[], [0, 3, 5, 9]]);
});

it('finds an effect out of order, one that overtook a failed one, and changed ids', () => {
  const order = new ReactionOrder();
  for (const position of [3, 1]) order.take(effect(position), true);
  order.take(effect(5), false);
  order.take(effect(6), true);
  order.take(effect(3, 'other'), true);
  order.take(effect(7, 'id-6'), true);
  expect(order.problems).toEqual([
    'the effect of 1 of project-a came after that of a later event',
    'the effect of 6 of project-a came before 5, which had failed, again',
    'the effect of 3 of project-a came again with another id',
    'the effect of 7 of project-a has the id of another one',
  ]);
});
