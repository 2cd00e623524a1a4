import { describe, expect, it } from '@jest/globals';
import { cancel, evolveMaintenance, type MaintenanceWindows, type NewWindow, noMaintenance, schedule } from './maintenance.decider.ts';
import { announcedWithin, maintenanceWithin } from './occurrences.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const FROM = Date.UTC(2026, 0, 31, 23, 30);
const wanted = (changes: Partial<NewWindow> = {}): NewWindow => ({
  windowId: 'w',
  from: FROM,
  to: FROM + HOUR,
  offsetMinutes: 0,
  note: 'new disks',
  repeat: null,
  ...changes,
});
const planned = (...windows: readonly NewWindow[]): MaintenanceWindows =>
  windows.flatMap((window) => schedule(noMaintenance, window, FROM)).reduce(evolveMaintenance, noMaintenance);
const begins = (windows: MaintenanceWindows, from: number, to: number): string[] =>
  maintenanceWithin(windows.values(), { from, to }).map((span) => new Date(span.from).toISOString().slice(0, 16));

describe('a maintenance window', () => {
  it('is there from its beginning, and no longer at its end', () => {
    const windows = [...planned(wanted()).values()];
    expect(
      [FROM - 1, FROM, FROM + HOUR - 1, FROM + HOUR].map((at) => maintenanceWithin(windows, { from: at, to: at + 1 }).length > 0),
    ).toEqual([false, true, true, false]);
  });

  it('repeats every day and every week, far from its beginning too', () => {
    expect(begins(planned(wanted({ repeat: 'daily' })), FROM + 1000 * DAY, FROM + 1002 * DAY)).toEqual([
      '2028-10-27T23:30',
      '2028-10-28T23:30',
    ]);
    expect(begins(planned(wanted({ repeat: 'weekly' })), FROM + HOUR, FROM + 15 * DAY)).toEqual(['2026-02-07T23:30', '2026-02-14T23:30']);
    expect(begins(planned(wanted({ repeat: 'weekly' })), FROM - 30 * DAY, FROM)).toEqual([]);
  });

  it('repeats every month, on the last day where a month has no such day, as the offset of its request counts days', () => {
    expect(begins(planned(wanted({ repeat: 'monthly' })), FROM, FROM + 100 * DAY)).toEqual([
      '2026-01-31T23:30',
      '2026-02-28T23:30',
      '2026-03-31T23:30',
      '2026-04-30T23:30',
    ]);
    expect(begins(planned(wanted({ repeat: 'monthly', offsetMinutes: 60 })), FROM, FROM + 60 * DAY)).toEqual([
      '2026-01-31T23:30',
      '2026-02-28T23:30',
      '2026-03-31T23:30',
    ]);
    expect(begins(planned(wanted({ repeat: 'monthly' })), FROM + 3650 * DAY, FROM + 3680 * DAY)).toHaveLength(1);
  });

  it('that begins before the span and reaches into it is cut', () => {
    expect(maintenanceWithin(planned(wanted({ repeat: 'daily' })).values(), { from: FROM + DAY + 1000, to: FROM + DAY + 2000 })).toEqual([
      { from: FROM + DAY + 1000, to: FROM + DAY + 2000 },
    ]);
  });

  it('is merged with those that it overlaps', () => {
    const windows = planned(
      wanted(),
      wanted({ windowId: 'v', from: FROM + HOUR / 2, to: FROM + 2 * HOUR }),
      wanted({ windowId: 'u', from: FROM + 5 * HOUR, to: FROM + 6 * HOUR }),
    );
    expect(maintenanceWithin(windows.values(), { from: FROM, to: FROM + DAY })).toEqual([
      { from: FROM, to: FROM + 2 * HOUR },
      { from: FROM + 5 * HOUR, to: FROM + 6 * HOUR },
    ]);
  });

  it('keeps its past when it is cancelled after its beginning, and is removed before', () => {
    const repeated = planned(wanted({ repeat: 'daily' }));
    const ended = cancel(repeated, 'w', FROM + 2 * DAY + HOUR / 2).reduce(evolveMaintenance, repeated);
    expect(maintenanceWithin(ended.values(), { from: FROM, to: FROM + 9 * DAY })).toEqual(
      [0, 1, 2].map((day) => ({
        from: FROM + day * DAY,
        to: FROM + day * DAY + (day === 2 ? HOUR / 2 : HOUR),
      })),
    );
    const once = planned(wanted());
    const spansAfterCancelling = (at: number) =>
      maintenanceWithin(cancel(once, 'w', at).reduce(evolveMaintenance, once).values(), { from: FROM, to: FROM + DAY });
    expect(cancel(once, 'w', FROM).reduce(evolveMaintenance, once).size).toBe(0);
    expect(spansAfterCancelling(FROM + HOUR / 2)).toEqual([{ from: FROM, to: FROM + HOUR / 2 }]);
    expect(spansAfterCancelling(FROM + DAY)).toEqual([{ from: FROM, to: FROM + HOUR }]);
    expect(cancel(ended, 'w', FROM + 3 * DAY)).toEqual([]);
  });

  it('counts as announced only in occurrences that begin after it was recorded', () => {
    const recorded = (announcedAt: number, changes: Partial<NewWindow> = {}) =>
      [...planned(wanted(changes)).values()].map((window) => ({ ...window, announcedAt: new Date(announcedAt).toISOString() }));
    const span = { from: FROM - DAY, to: FROM + 2 * DAY };
    expect(announcedWithin(recorded(FROM - 1), span)).toEqual([{ from: FROM, to: FROM + HOUR }]);
    expect(announcedWithin(recorded(FROM + 1), span)).toEqual([]);
    expect(announcedWithin(recorded(FROM + HOUR, { repeat: 'daily' }), span)).toEqual([{ from: FROM + DAY, to: FROM + DAY + HOUR }]);
  });

  it.each([
    { to: FROM },
    { to: FROM - 1 },
    { to: FROM + 2 * DAY, repeat: 'daily' },
    { to: FROM + 366 * DAY + 1 },
    { to: FROM + DAY + 1, repeat: 'daily' },
    { to: FROM + 7 * DAY + 1, repeat: 'weekly' },
    { to: FROM + 28 * DAY + 1, repeat: 'monthly' },
    { note: 'x'.repeat(1001) },
  ] as const)('is refused when it makes no sense: %p', (changes) => {
    expect(() => schedule(noMaintenance, wanted(changes), FROM)).toThrow();
  });

  it('is as long as its repetition at most, a leap year without one', () => {
    const longest = [{ to: FROM + 366 * DAY }, { to: FROM + DAY, repeat: 'daily' }, { to: FROM + 28 * DAY, repeat: 'monthly' }] as const;
    for (const changes of longest) expect(schedule(noMaintenance, wanted(changes), FROM)).toHaveLength(1);
  });

  it('is one of 200 at most that are not over, and of 2,000 in all', () => {
    const many = (length: number, changes: Partial<NewWindow> = {}) =>
      planned(...Array.from({ length }, (_, nth) => wanted({ windowId: String(nth), ...changes })));
    expect(schedule(many(199), wanted(), FROM)).toHaveLength(1);
    expect(() => schedule(many(200), wanted(), FROM)).toThrow('at most 200');
    expect(schedule(many(200), wanted(), FROM + HOUR)).toHaveLength(1);
    expect(schedule(many(1999), wanted(), FROM + HOUR)).toHaveLength(1);
    expect(() => schedule(many(2000), wanted(), FROM + HOUR)).toThrow('at most 2000');
    const daily = many(200, { repeat: 'daily' });
    expect(() => schedule(daily, wanted(), FROM + 400 * DAY)).toThrow('at most 200');
    const ended = cancel(daily, '0', FROM + DAY).reduce(evolveMaintenance, daily);
    expect(schedule(ended, wanted(), FROM + 2 * DAY)).toHaveLength(1);
  });

  it('may start at most one year in the past when it repeats, and at any time when it does not', () => {
    for (const repeat of ['daily', 'weekly', 'monthly'] as const) {
      expect(schedule(noMaintenance, wanted({ repeat }), FROM + 366 * DAY)).toHaveLength(1);
      expect(() => schedule(noMaintenance, wanted({ repeat }), FROM + 366 * DAY + 1)).toThrow(
        'from: a repeating window may start at most one year in the past',
      );
    }
    expect(schedule(noMaintenance, wanted(), FROM + 5000 * DAY)).toHaveLength(1);
  });

  it('is scheduled once, and unknown ones cannot be cancelled', () => {
    expect(schedule(planned(wanted()), wanted(), FROM)).toEqual([]);
    expect(() => cancel(noMaintenance, 'w', FROM)).toThrow('not found');
  });
});
