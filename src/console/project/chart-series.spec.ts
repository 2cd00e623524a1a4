import { expect, it } from '@jest/globals';
import { chartSeries, chartStep } from './chart-series.ts';

const begin = Date.parse('2026-11-21T10:00:00Z');
const at = (minutes: number, totalResponseTime = 200) => ({
  responseDate: new Date(begin + minutes * 60_000).toISOString(),
  totalResponseTime,
});

it('draws no line across a time in which nothing was measured', () => {
  const { middle, gaps } = chartSeries([at(0), at(1), at(30)], begin, begin + 31 * 60_000, 60);
  expect(middle).toEqual([200, 200, null, 200]);
  expect(gaps).toEqual([{ from: begin / 1000 + 120, to: begin / 1000 + 1_800 }]);
});

it('shows the time before the first and after the last measurement as not measured', () => {
  const { gaps } = chartSeries([at(10)], begin, begin + 20 * 60_000, 60);
  expect(gaps).toEqual([
    { from: begin / 1000, to: begin / 1000 + 600 },
    { from: begin / 1000 + 660, to: begin / 1000 + 1_200 },
  ]);
  expect(chartSeries([], begin, begin + 60_000 * 5, 60).gaps).toHaveLength(1);
});

it('takes the median of a step where there is one', () => {
  expect(chartSeries([{ ...at(0), p50: 150, p95: 400 }], begin, begin + 60_000, 60)).toMatchObject({ middle: [150], high: [400] });
});

it('shows each response of an hour, and steps of more', () => {
  const hour = 3_600_000;
  expect(chartStep(0, hour)).toBeNull();
  expect(chartStep(0, 6 * hour)).toBe(300);
  expect(chartStep(0, 90 * 24 * hour)).toBe(86_400);
});
