import { expect, it } from '@jest/globals';
import { decide } from '../../../test/support/decide.ts';
import { closeDay, closedDays } from './days.decider.ts';
import type { DayBooks } from './days.events.ts';

const books = (day: string, samples = 1): DayBooks => {
  const closed = { projectId: 'p', day, samples, sha256: '' };
  return {
    uptime: { ...closed, upMs: 0, downMs: 0, timeoutMs: 0, unknownMs: 0, intervals: '' },
    responseTimes: { ...closed, buckets: '', sketch: '' },
  };
};
const { given } = decide(closedDays);

it('closes each of the two books of a day once', () => {
  const [uptime, responseTimes] = closeDay(closedDays.initial, books('2026-11-20'));
  if (uptime === undefined || responseTimes === undefined) throw new Error('a day has two books');
  expect([uptime.type, responseTimes.type]).toEqual(['UptimeDayClosed', 'ResponseTimesDayClosed']);
  given(uptime, responseTimes)
    .when((state) => closeDay(state, books('2026-11-20', 2)))
    .then();
  given(uptime)
    .when((state) => closeDay(state, books('2026-11-20')))
    .then(responseTimes);
  given(responseTimes)
    .when((state) => closeDay(state, books('2026-11-20')))
    .then(uptime);
  expect(closeDay(given(uptime, responseTimes).state, books('2026-11-21'))).toHaveLength(2);
});
