import { expect, it } from '@jest/globals';
import { outagesIn } from './chart-series.ts';

const begin = Date.parse('2026-11-21T10:00:00Z');
const event = (type: string, minutes: number) => ({ type, at: new Date(begin + minutes * 60_000).toISOString() });
const span = { from: begin, to: begin + 3_600_000 };
const minutes = (stretches: ReturnType<typeof outagesIn>): readonly (readonly [number, number])[] =>
  stretches.map(({ from, to }) => [(from - begin) / 60_000, (to - begin) / 60_000]);

it('finds the stretches in which a site was down', () => {
  expect(
    minutes(outagesIn([event('UptimeWentDown', 10), event('UptimeFailureChanged', 12), event('UptimeWentUp', 20)], span, false)),
  ).toEqual([[10, 20]]);
});

it('cuts what began before the span or has not ended', () => {
  expect(minutes(outagesIn([event('UptimeWentUp', 5), event('UptimeWentDown', 50)], span, true))).toEqual([
    [0, 5],
    [50, 60],
  ]);
  expect(minutes(outagesIn([], span, true))).toEqual([[0, 60]]);
  expect(outagesIn([event('UptimeBegan', 5)], span, false)).toEqual([]);
});
