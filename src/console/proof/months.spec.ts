import { expect, it } from '@jest/globals';
import { monthsSince, monthText } from './months.ts';

const now = Date.parse('2026-02-10T00:00:00Z');

it('names the months in which a project existed, the latest first', () => {
  expect(monthsSince('2025-12-31T23:30:00-01:00', now)).toEqual(['2026-02', '2026-01']);
  expect(monthsSince('2026-02-01T00:00:00+00:00', now)).toEqual(['2026-02']);
});

it('names at most a year of them', () => {
  expect(monthsSince('2020-01-01T00:00:00Z', now)).toHaveLength(12);
});

it('writes a month in words, the same in every zone', () => {
  expect(monthText('2026-11')).toMatch(/^November 2026$/);
});
