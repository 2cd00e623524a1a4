import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { percentages, uptimeTotals } from '../platform/observations/samples/report.ts';
import type { Interval } from '../platform/observations/samples/timeline.ts';
import type { TimeSpan } from '../kernel/instants.ts';
import type { KnownTime } from '../watches/uptime/uptime.reader.ts';
import { dayFigures } from './figures-reading.ts';
import { SHOWN_DAY, SHOWN_DAYS, firstDayAt, utcMidnight } from '../watches/uptime/shown-state.ts';

const MIDNIGHT = Date.UTC(2026, 1, 3);

/** Disjoint and in order: lengths of time that is known and not known, in turn. */
const intervalsIn = (from: number, to: number): fc.Arbitrary<readonly Interval[]> =>
  fc
    .array(fc.record({ gap: fc.integer({ min: 0, max: 9_000_000 }), length: fc.integer({ min: 1, max: 30_000_000 }), state: state() }))
    .map((parts) => {
      const intervals: Interval[] = [];
      let at = from;
      for (const { gap, length, state: of } of parts) {
        const begin = at + gap;
        at = Math.min(begin + length, to);
        if (begin < at) intervals.push({ from: begin, to: at, state: of });
      }
      return intervals;
    });

const state = (): fc.Arbitrary<Interval['state']> => fc.constantFrom('up', 'down', 'timeout');

type Day = 'up all day' | 'some' | 'not closed';

function knownTime(days: readonly Day[], at: number): fc.Arbitrary<KnownTime> {
  const from = firstDayAt(at);
  const startOf = (index: number): number => from + index * SHOWN_DAY;
  const closed = days.flatMap((day, index) => {
    const start = startOf(index);
    if (day === 'not closed' || start >= at) return [];
    if (day === 'some')
      return [intervalsIn(start, start + SHOWN_DAY).map((found) => ({ start, isUpAllDay: false, intervals: () => found }))];
    const whole = [{ from: start, to: start + SHOWN_DAY, state: 'up' as const }];
    return [fc.constant({ start, isUpAllDay: true, intervals: () => whole })];
  });
  return fc.tuple(...closed).chain((known) => {
    const last = known.at(-1);
    const closedUntil = last === undefined ? null : last.start + SHOWN_DAY;
    const open = (closedUntil ?? from) < at ? intervalsIn(closedUntil ?? from, at) : fc.constant([]);
    return open.map((intervals) => ({ closed: known, open: intervals, closedUntil }));
  });
}

const windows = (at: number): fc.Arbitrary<readonly TimeSpan[]> =>
  intervalsIn(firstDayAt(at), at).map((found) =>
    found.filter(({ from }, index) => from !== found[index - 1]?.to && index % 3 === 0).map(({ from, to }) => ({ from, to })),
  );

const history = fc
  .record({
    at: fc.oneof(fc.constant(MIDNIGHT), fc.integer({ min: MIDNIGHT, max: MIDNIGHT + SHOWN_DAY })),
    days: fc.array(fc.constantFrom<Day>('up all day', 'up all day', 'some', 'not closed'), { maxLength: SHOWN_DAYS }),
  })
  .chain(({ at, days }) =>
    fc.record({ at: fc.constant(at), known: knownTime(days, at), excluded: fc.oneof(fc.constant([]), windows(at)) }),
  );

describe('the figures of days', () => {
  it('are those of the uptime report', () => {
    fc.assert(
      fc.property(history, ({ at, known: time, excluded }) => {
        const known = [...time.closed.flatMap((day) => day.intervals()), ...time.open];
        const report = (from: number, to: number) => uptimeTotals(known, { from, to, now: at, offsetMinutes: 0, excluded }).total;
        const { days, month, lastKnown } = dayFigures(time, excluded, at);
        const from = firstDayAt(at);
        expect(days).toEqual(
          Array.from({ length: SHOWN_DAYS }, (_, index) => report(from + index * SHOWN_DAY, Math.min(from + (index + 1) * SHOWN_DAY, at))),
        );
        const last30 = report(at - 30 * SHOWN_DAY, at);
        const measuredMs = last30.upMs + last30.downMs + last30.timeoutMs;
        expect(month).toEqual({ up: measuredMs === 0 ? null : percentages(last30).up, measuredMs });
        expect(lastKnown).toBe(known.at(-1)?.to ?? null);
      }),
    );
  });

  it('end with the day of the instant, of which nothing is known at midnight', () => {
    const { days } = dayFigures({ closed: [], open: [], closedUntil: null }, [], MIDNIGHT);
    expect(utcMidnight(MIDNIGHT)).toBe(MIDNIGHT);
    expect(days.map(({ unknownMs }) => unknownMs)).toEqual([...Array.from({ length: SHOWN_DAYS - 1 }, () => SHOWN_DAY), 0]);
  });
});
