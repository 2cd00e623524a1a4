import { expect, it } from '@jest/globals';
import { neighbour } from './neighbour.ts';

const marks = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z', '2026-11-21T12:00:00.000Z'].map((at) => ({ at }));
const [first = 0, second = 0, third = 0] = marks.map(({ at }) => Date.parse(at) + 1);

it('steps from now to the last event, and from event to event', () => {
  expect(neighbour(marks, null, -1)).toBe(third);
  expect(neighbour(marks, third, -1)).toBe(second);
  expect(neighbour(marks, first, 1)).toBe(second);
  expect(neighbour(marks, second - 5, 1)).toBe(second);
});

it('stops at both ends', () => {
  expect(neighbour(marks, first, -1)).toBeNull();
  expect(neighbour(marks, third, 1)).toBeNull();
  expect(neighbour(marks, null, 1)).toBeNull();
  expect(neighbour([], null, -1)).toBeNull();
});
