import { expect, it } from '@jest/globals';
import { DeliveryHistory } from './delivery-history.ts';

let tokens = 0;
const of = (position: number, scope = 'project-a') => ({ token: ++tokens, scope, position });
const delivered = (...positions: readonly number[]): DeliveryHistory => {
  const history = new DeliveryHistory();
  for (const position of positions) history.deliver(0, of(position));
  return history;
};

it('allows deliveries in order, and repeats of them', () => {
  const history = delivered(1, 4, 1, 4, 9, 4);
  history.deliver(0, of(2, 'project-b'));
  expect([history.problems, history.countOf('project-a'), history.countOf('project-b')]).toEqual([[], 3, 1]);
});

it('finds an event that is delivered after a later one', () => {
  expect(delivered(1, 9, 4).problems).toEqual(['4 of project-a was delivered first after 9']);
});

it('finds a token that does not grow, or is handed out twice', () => {
  const history = new DeliveryHistory();
  history.deliver(0, { token: 8, scope: 'project-a', position: 1 });
  history.deliver(1, { token: 7, scope: 'project-b', position: 2 });
  expect(history.problems).toEqual([]);
  history.deliver(0, { token: 7, scope: 'project-a', position: 3 });
  expect(history.problems).toEqual(['the token 7 follows 8', 'the token 7 was handed out twice']);
});

it('finds a delivery after an acknowledgement, unless a reset came in between', async () => {
  const [history, first] = [new DeliveryHistory(), of(1)];
  const before = of(1);
  const acknowledged = of(1);
  history.deliver(0, first);
  history.deliver(1, acknowledged);
  history.acknowledge(acknowledged, history.epoch);
  // Read before the acknowledgement by a consumer that was answered later.
  history.deliver(2, before);
  expect(history.problems).toEqual([]);
  const { epoch } = history;
  await history.duringReset(() => {
    history.acknowledge(acknowledged, history.epoch);
    return Promise.resolve();
  });
  history.acknowledge(acknowledged, epoch);
  history.deliver(0, of(1));
  expect(history.problems).toEqual([]);
  const last = of(1);
  history.acknowledge(last, history.epoch);
  history.deliver(0, of(1));
  expect(history.problems).toEqual(['1 was delivered after its acknowledgement']);
});

it('knows what was parked and is not back', () => {
  const history = delivered(1, 4);
  for (const position of [1, 4]) history.park(of(position));
  history.notParked(of(4));
  expect(history.stillParked).toEqual([1]);
  history.deliver(0, of(1));
  expect([history.stillParked, history.problems]).toEqual([[], []]);
});
