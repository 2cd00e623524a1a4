import { expect, it } from '@jest/globals';
import { DAY_LENGTH, everyText, HOUR_LENGTH, MINUTE_LENGTH, shortOf, spanOf, utcOf } from './instants.ts';

it.each([
  [0, '0 s'],
  [59_400, '59 s'],
  [23 * MINUTE_LENGTH, '23 min'],
  [119 * MINUTE_LENGTH, '119 min'],
  [47 * HOUR_LENGTH, '47 h'],
  [12 * DAY_LENGTH, '12 days'],
  [-5, '0 s'],
])('writes a span of %d ms as %s', (milliseconds, text) => {
  expect(spanOf(milliseconds)).toBe(text);
});

it('writes the time of today, the day of this year and the year before that', () => {
  const now = new Date(2026, 10, 21, 14, 0).getTime();
  expect(shortOf(new Date(2026, 10, 21, 9, 5).getTime(), now)).toBe('09:05');
  expect(shortOf(new Date(2026, 9, 3, 9, 5).getTime(), now)).toMatch(/Oct.*09:05|3.*09:05/);
  expect(shortOf(new Date(2025, 9, 3, 9, 5).getTime(), now)).toMatch(/2025/);
});

it('writes how often something happens', () => {
  expect(['1 hour', '30 minutes', '1 day'].map(everyText)).toEqual(['every hour', 'every 30 minutes', 'every day']);
});

it('writes an instant the same everywhere in UTC', () => {
  expect(utcOf(Date.UTC(2026, 10, 21, 13, 58, 4))).toBe('2026-11-21 13:58:04 UTC');
});
