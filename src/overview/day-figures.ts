import { percentages, type Totals, uptimeTotals } from '../platform/observations/samples/report.ts';
import type { Interval } from '../platform/observations/samples/timeline.ts';
import type { TimeSpan } from '../kernel/instants.ts';
import type { KnownTime } from '../watches/uptime/uptime.reader.ts';
import { firstDayAt, SHOWN_DAY, SHOWN_DAYS, utcMidnight } from '../status-pages/model.ts';

const MONTH = 30 * SHOWN_DAY;

/** What a line shows of the uptime of a site. */
export interface ShownUptime {
  /** Of each UTC day that is shown, the oldest first. */
  readonly days: readonly Totals[];
  readonly month: { readonly up: number | null; readonly measuredMs: number };
  /** The end of the last time that is known. */
  readonly lastKnown: number | null;
}

/** The figures of the uptime report, day by day: most days were up from midnight to midnight, and are not unpacked. */
export function dayFigures(known: KnownTime, excluded: readonly TimeSpan[], at: number): ShownUptime {
  const totalsOf = totalsWithin(known, excluded);
  const [from, monthFrom] = [firstDayAt(at), at - MONTH];
  const month = { upMs: 0, downMs: 0, timeoutMs: 0, unknownMs: 0, maintenanceMs: 0 };
  const days = Array.from({ length: SHOWN_DAYS }, (_, index): Totals => {
    const day = { from: from + index * SHOWN_DAY, to: Math.min(from + (index + 1) * SHOWN_DAY, at) };
    const totals = totalsOf(day);
    if (day.to > monthFrom) {
      const counted = day.from >= monthFrom ? totals : totalsOf({ from: monthFrom, to: day.to });
      month.upMs += counted.upMs;
      month.downMs += counted.downMs;
      month.timeoutMs += counted.timeoutMs;
    }
    return totals;
  });
  const measuredMs = month.upMs + month.downMs + month.timeoutMs;
  return { days, month: { up: measuredMs === 0 ? null : percentages(month).up, measuredMs }, lastKnown: lastKnownOf(known) };
}

/** Of spans within a UTC day. */
function totalsWithin({ closed, open, closedUntil }: KnownTime, excluded: readonly TimeSpan[]): (span: TimeSpan) => Totals {
  const closedDays = new Map(closed.map((day) => [day.start, day]));
  return (span) => {
    const isWorkFree = excluded.length === 0 || !excluded.some(({ from, to }) => from < span.to && to > span.from);
    const day = closedDays.get(utcMidnight(span.from));
    const length = span.to - span.from;
    if (isWorkFree && day?.isUpAllDay === true) return { upMs: length, downMs: 0, timeoutMs: 0, unknownMs: 0, maintenanceMs: 0 };
    const isOpen = closedUntil === null || span.from >= closedUntil;
    const intervals = day?.intervals() ?? (isOpen ? open : []);
    return isWorkFree ? sumsOf(intervals, span) : uptimeTotals(intervals, { ...span, now: span.to, offsetMinutes: 0, excluded }).total;
  };
}

/** Without planned work. */
function sumsOf(intervals: readonly Interval[], span: TimeSpan): Totals {
  const sums = { up: 0, down: 0, timeout: 0 };
  for (const { from, to, state } of intervals) sums[state] += Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));
  const { up, down, timeout } = sums;
  return { upMs: up, downMs: down, timeoutMs: timeout, unknownMs: span.to - span.from - up - down - timeout, maintenanceMs: 0 };
}

function lastKnownOf({ closed, open }: KnownTime): number | null {
  let last = open.at(-1);
  for (let index = closed.length; last === undefined && index > 0;) last = closed[--index]?.intervals().at(-1);
  return last?.to ?? null;
}
