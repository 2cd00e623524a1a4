import { expect, it } from '@jest/globals';
import { DAY_LENGTH, HOUR_LENGTH } from './instants.ts';
import { instantAtPlace, placeOnSpan, ticksOf, zoomed } from './scale.ts';

const span = { from: 1_000 * DAY_LENGTH, to: 1_090 * DAY_LENGTH };

it('finds the place of an instant and the instant at a place', () => {
  expect(placeOnSpan(1_045 * DAY_LENGTH, span)).toBe(0.5);
  expect(instantAtPlace(0.5, span)).toBe(1_045 * DAY_LENGTH);
});

it('keeps what lies under the pointer where it is', () => {
  const closer = zoomed(span, 0.5, 0.25, span.to);
  expect(closer.to - closer.from).toBe(45 * DAY_LENGTH);
  expect(placeOnSpan(instantAtPlace(0.25, span), closer)).toBeCloseTo(0.25);
});

it('shows no later time than now, and neither less than ten minutes nor more than a good year', () => {
  expect(zoomed(span, 2, 1, span.to).to).toBe(span.to);
  expect(zoomed(span, 2, 0, span.to).to).toBe(span.to);
  const least = zoomed(span, 1e-9, 0.5, span.to);
  expect(least.to - least.from).toBe(10 * 60_000);
  expect(zoomed(span, 1e9, 0.5, span.to).from).toBe(span.to - 400 * DAY_LENGTH);
});

it('marks round instants only, and as many as there is room for', () => {
  const days = ticksOf(span, 8);
  expect(days.areDays).toBe(true);
  expect(days.at.length).toBeLessThanOrEqual(8);
  for (const at of days.at) expect(new Date(at).getHours()).toBe(0);
  const hours = ticksOf({ from: span.from, to: span.from + 6 * HOUR_LENGTH }, 8);
  expect(hours.areDays).toBe(false);
  for (const at of hours.at) expect(new Date(at).getMinutes()).toBe(0);
});
