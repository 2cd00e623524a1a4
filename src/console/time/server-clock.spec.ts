import { expect, it } from '@jest/globals';
import { skewOf } from './server-clock.ts';

const NOW = Date.parse('2026-11-26T19:00:00.700Z');
const dateHeader = (by: number): string => new Date(NOW + by).toUTCString();

it('finds how far the clock of the service is ahead or behind', () => {
  expect(skewOf(dateHeader(3_600_000), NOW - 50, NOW + 50)).toBeCloseTo(3_600_000, -3);
  expect(skewOf(dateHeader(-600_000), NOW - 50, NOW + 50)).toBeCloseTo(-600_000, -3);
});

it('takes seconds that the header leaves out, and a slow answer, as no difference', () => {
  expect(skewOf(dateHeader(0), NOW - 50, NOW + 50)).toBe(0);
  expect(skewOf(dateHeader(-9_000), NOW - 20_000, NOW)).toBe(0);
  expect(skewOf(null, NOW, NOW)).toBeNull();
});
