import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { addDays, dayIn, instantAt, isoDay, weekday } from './local-time.ts';
import { decideReport, dueWeek, nextReportAt } from './week.ts';

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);
const utc = (instant: number): string => new Date(instant).toISOString().slice(0, 16);

/** The instants of the next reports, one after another. */
function reports(zone: string, from: string, count: number): readonly string[] {
  const instants: string[] = [];
  for (let now = at(from), n = 0; n < count; n++) {
    now = nextReportAt(zone, now);
    instants.push(utc(now));
  }
  return instants;
}

it('caches one format per time zone in any spelling, and none for an unknown name', () => {
  const made = jest.spyOn(Intl, 'DateTimeFormat');
  const names = ['Asia/Tokyo', 'ASIA/TOKYO', 'asia/tokyo', 'Asia/tokyo'];
  for (const name of names) expect(dayIn(name, at('2026-03-08T20:00:00Z')).day).toBe(9);
  // None where another file of the worker asked for the zone before.
  expect(made.mock.calls.length).toBeLessThanOrEqual(1);
  for (let nth = 0; nth < 3; nth++) dayIn('No/Where', 0);
  expect(made.mock.calls.filter(([, options]) => options?.timeZone === 'No/Where')).toHaveLength(3);
  made.mockRestore();
});

describe('when a report is due', () => {
  it.each([
    ['UTC', '2026-03-18T00:00Z', ['2026-03-23T08:00', '2026-03-30T08:00', '2026-04-06T08:00']],
    // Clocks go forward on Sunday 29 March, and back on Sunday 25 October.
    ['Europe/Prague', '2026-03-18T00:00Z', ['2026-03-23T07:00', '2026-03-30T06:00', '2026-04-06T06:00']],
    ['Europe/Prague', '2026-10-14T00:00Z', ['2026-10-19T06:00', '2026-10-26T07:00', '2026-11-02T07:00']],
    ['America/New_York', '2026-03-04T00:00Z', ['2026-03-09T12:00', '2026-03-16T12:00']],
    ['America/New_York', '2026-02-25T00:00Z', ['2026-03-02T13:00', '2026-03-09T12:00']],
    ['Asia/Kathmandu', '2026-03-18T00:00Z', ['2026-03-23T02:15', '2026-03-30T02:15']],
    ['Australia/Lord_Howe', '2026-03-25T00:00Z', ['2026-03-29T21:00', '2026-04-05T21:30']],
    // East of everybody, and west: the same Monday begins a day apart.
    ['Pacific/Apia', '2026-03-18T00:00Z', ['2026-03-22T19:00', '2026-03-29T19:00']],
    ['Pacific/Kiritimati', '2026-03-18T00:00Z', ['2026-03-22T18:00']],
    ['Pacific/Pago_Pago', '2026-03-18T00:00Z', ['2026-03-23T19:00']],
    // A whole Friday was left out, and the offset changed by a day.
    ['Pacific/Apia', '2011-12-25T00:00Z', ['2011-12-26T18:00', '2012-01-01T18:00', '2012-01-08T18:00']],
    ['No/Where', '2026-03-18T00:00Z', ['2026-03-23T08:00']],
  ])('in %s after %s', (zone, from, instants) => {
    expect(reports(zone, from, instants.length)).toEqual(instants);
  });

  it.each([
    ['Europe/Prague', '2026-03-30T06:00Z', '2026-03-22T23:00', '2026-03-29T22:00', 167],
    ['Europe/Prague', '2026-10-26T07:00Z', '2026-10-18T22:00', '2026-10-25T23:00', 169],
    ['Asia/Kathmandu', '2026-03-23T02:15Z', '2026-03-15T18:15', '2026-03-22T18:15', 168],
    ['Pacific/Apia', '2012-01-01T18:00Z', '2011-12-26T10:00', '2012-01-01T10:00', 144],
  ])('in %s at %s it covers the calendar week before', (zone, now, from, to, hours) => {
    const { span } = dueWeek(zone, at(now));
    expect([utc(span.from), utc(span.to), (span.to - span.from) / HOUR]).toEqual([from, to, hours]);
  });

  it('shifts a skipped hour and takes the first of a repeated one', () => {
    expect(utc(instantAt('Europe/Prague', { year: 2026, month: 3, day: 29 }, 2))).toBe('2026-03-29T01:00');
    expect(utc(instantAt('Europe/Prague', { year: 2026, month: 10, day: 25 }, 2))).toBe('2026-10-25T00:00');
    expect(utc(instantAt('Asia/Beirut', { year: 2026, month: 3, day: 29 }, 0))).toBe('2026-03-28T22:00');
    expect(utc(instantAt('Africa/Cairo', { year: 2026, month: 4, day: 24 }, 0))).toBe('2026-04-23T22:00');
  });

  it('is a Monday at eight local time in every zone', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const instants = fc.integer({ min: at('2012-01-10T00:00Z'), max: at('2036-01-01T00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), instants, (zone, now) => {
        const next = nextReportAt(zone, now);
        expect(next).toBeGreaterThan(now);
        expect(next - now).toBeLessThanOrEqual(7 * 24 * HOUR + 25 * HOUR);
        const day = dayIn(zone, next);
        expect(weekday(day)).toBe(0);
        const shown = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone, hourCycle: 'h23' }).format(
          next,
        );
        expect(shown).toBe('08:00');
        expect(dueWeek(zone, next)).toMatchObject({ monday: isoDay(day) });
        expect(dueWeek(zone, next - 1).monday).toBe(isoDay(addDays(day, -7)));
      }),
      { numRuns: 150 },
    );
  });
});

describe('the report decision for one account', () => {
  const account = { reportPeriod: 'week', timezone: 'Europe/Prague', confirmed: true } as const;
  const [wednesday, monday] = [at('2026-03-18T12:00Z'), at('2026-03-23T07:00Z')];

  it('starts with the next Monday, not with the past', () => {
    expect(decideReport(null, account, wednesday)).toEqual({ lastWeek: '2026-03-16', reviewAt: monday, report: null });
  });

  it('reports each week once, whenever it is reviewed', () => {
    expect(decideReport('2026-03-16', account, monday - 1).report).toBeNull();
    expect(decideReport('2026-03-16', account, monday).report).toMatchObject({ monday: '2026-03-23' });
    expect(decideReport('2026-03-23', account, monday).report).toBeNull();
  });

  it('reports late after a missed hour, and only the latest of several weeks', () => {
    expect(decideReport('2026-03-16', account, monday + 6 * 24 * HOUR).report).toMatchObject({ monday: '2026-03-23' });
    expect(decideReport('2026-02-02', account, monday + HOUR).report).toMatchObject({ monday: '2026-03-23' });
  });

  it('forgets the last week of an account that unsubscribed or is unconfirmed', () => {
    for (const given of [{ reportPeriod: 'false' as const }, { confirmed: false }])
      expect(decideReport('2026-02-02', { ...account, ...given }, monday)).toEqual({ lastWeek: null, reviewAt: Infinity, report: null });
  });

  it('neither repeats nor skips a week when the time zone changes', () => {
    const zones = ['Pacific/Kiritimati', 'Asia/Kathmandu', 'Europe/Prague', 'UTC', 'America/New_York', 'Pacific/Pago_Pago'];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...zones), fc.integer({ min: 1, max: 60 })), { minLength: 20, maxLength: 60 }),
        (stays) => {
          let [now, lastWeek] = [wednesday, null as string | null];
          const sent: string[] = [];
          for (const [timezone, hours] of stays) {
            const leaves = now + hours * HOUR;
            for (let look = now; look <= leaves;) {
              const next = decideReport(lastWeek, { ...account, timezone }, look);
              ({ lastWeek } = next);
              if (next.report !== null) sent.push(next.report.monday);
              look = next.reviewAt;
            }
            now = leaves;
          }
          expect(new Set(sent).size).toBe(sent.length);
          const mondays = sent.map(at);
          expect(mondays.every((one, index) => index === 0 || one - (mondays[index - 1] ?? 0) === 7 * 24 * HOUR)).toBe(true);
        },
      ),
    );
  });
});
