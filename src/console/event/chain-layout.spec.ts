import { expect, it } from '@jest/globals';
import { layOut } from './chain-layout.ts';

const event = (id: string, causationId: string | null) => ({ id, causationId, commandId: `command of ${id}` });
const places = (events: Parameters<typeof layOut>[0]) =>
  layOut(events).map(({ event: { id }, column, row, causeRow }) => [id, column, row, causeRow]);

it('places each event below its cause and a step to the right', () => {
  const events = [event('failed', null), event('alert a', 'failed'), event('alert b', 'failed'), event('sent a', 'alert a')];
  expect(places(events)).toEqual([
    ['failed', 0, 0, null],
    ['alert a', 1, 1, 0],
    ['sent a', 2, 2, 1],
    ['alert b', 1, 3, 0],
  ]);
});

it('takes an unknown cause as the beginning, and loses no event of a circle', () => {
  expect(places([event('a', 'elsewhere')])).toEqual([['a', 0, 0, null]]);
  expect(places([event('a', 'b'), event('b', 'a')])).toHaveLength(2);
  expect(places([event('a', 'a')])).toHaveLength(1);
});
