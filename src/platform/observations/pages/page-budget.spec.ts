import { expect, it } from '@jest/globals';
import { keptBytesOf } from './page-budget.ts';

const share = (projects: number): number => keptBytesOf(undefined, projects) / projects / 2 ** 20;

it('gives a project the same share however many there are, and an installation at least a gigabyte', () => {
  expect(keptBytesOf(undefined, 0)).toBe(2 ** 30);
  expect(keptBytesOf(undefined, 100)).toBe(2 ** 30);
  expect([share(1_000), share(100_000)]).toEqual([2, 2]);
});

it('is as configured where that is', () => {
  expect(keptBytesOf(64, 100_000)).toBe(64 * 2 ** 20);
});
