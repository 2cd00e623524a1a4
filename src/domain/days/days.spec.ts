import { expect, it } from '@jest/globals';
import { closeDay, closedDays, type DaysEvent } from './days.ts';
import type { DayBooks } from './days.events.ts';

const books = (day: string, samples = 1): DayBooks => {
  const closed = { projectId: 'p', day, samples, sha256: '' };
  return {
    uptime: { ...closed, upMs: 0, downMs: 0, timeoutMs: 0, unknownMs: 0, intervals: '' },
    responseTimes: { ...closed, buckets: '', sketch: '' },
  };
};
const given = (...events: readonly DaysEvent[]) => events.reduce(closedDays.evolve, closedDays.initial);

it('closes both books of a day once, however often it is asked, and what is missing of them', () => {
  const [uptime, responseTimes] = closeDay(given(), books('2026-11-20'));
  if (uptime === undefined || responseTimes === undefined) throw new Error('a day has two books');
  expect([uptime.type, responseTimes.type]).toEqual(['UptimeDayClosed', 'ResponseTimesDayClosed']);
  expect(closeDay(given(uptime, responseTimes), books('2026-11-20', 2))).toEqual([]);
  expect(closeDay(given(uptime), books('2026-11-20'))).toEqual([responseTimes]);
  expect(closeDay(given(responseTimes), books('2026-11-20'))).toEqual([uptime]);
  expect(closeDay(given(uptime, responseTimes), books('2026-11-21'))).toHaveLength(2);
});
