import { expect, it } from '@jest/globals';
import { CountedDays } from './counted-days.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const at = (day: number, hour = 0): number => Date.UTC(2026, 2, day, hour);

it('takes each day from the table that has most of it, and fills gaps with nothing', () => {
  const days = new CountedDays();
  days.add('heartbeat', at(3, 1), 1, 0);
  days.add('heartbeat', at(3, 2), 0, 1);
  days.add('stat_daily', at(3), 20, 4);
  days.add('heartbeat', at(5, 23), 1, 0);
  days.add('stat_daily', at(5), 0, 0);
  expect(days.history(NOW)).toEqual({ from: '2026-03-03', up: [20, 0, 1], down: [4, 0, 0] });
});

it('leaves out times that are none, in the future, or older than five years', () => {
  const days = new CountedDays();
  for (const time of [Number.NaN, -1, at(11), Date.UTC(2015, 0, 1)]) days.add('heartbeat', time, 1, 0);
  expect(days.history(NOW)).toBeNull();
  days.add('heartbeat', at(9), -5, 1.5);
  expect(days.history(NOW)).toBeNull();
  days.add('stat_daily', at(9), 1e9, 0);
  expect(days.history(NOW)).toEqual({ from: '2026-03-09', up: [86_400], down: [0] });
});
