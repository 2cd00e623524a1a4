import { expect, it } from '@jest/globals';
import { chainsOf } from './chains.ts';

const event = (id: string, correlationId: string) => ({ id, correlationId });

it('puts the events of a chain below its first one, where its newest stands', () => {
  const newestFirst = [event('alert', 'a'), event('renamed', 'b'), event('failed', 'a')];
  expect(chainsOf(newestFirst).map(({ cause, effects }) => [cause.id, effects.map(({ id }) => id)])).toEqual([
    ['failed', ['alert']],
    ['renamed', []],
  ]);
});

it('loses no event', () => {
  const events = Array.from({ length: 50 }, (_, index) => event(String(index), String(index % 7)));
  const found = chainsOf(events).flatMap(({ cause, effects }) => [cause, ...effects]);
  expect(found).toHaveLength(50);
  expect(chainsOf([])).toEqual([]);
});
