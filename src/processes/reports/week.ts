import { addDays, type CalendarDay, dayIn, instantAt, isoDay, weekday } from './local-time.ts';

/** The seven days before a Monday, by the calendar of a zone. Milliseconds since the epoch. */
export interface ReportSpan {
  readonly from: number;
  readonly to: number;
}

export interface ReportWeek {
  /** On which it is due; the same name for it in every zone. */
  readonly monday: string;
  readonly span: ReportSpan;
}

/** On Mondays, by the clocks of the recipient. */
const HOUR = 8;

const mondayOf = (zone: string, day: CalendarDay): ReportWeek & { readonly dueAt: number } => {
  const monday = addDays(day, -weekday(day));
  return {
    monday: isoDay(monday),
    dueAt: instantAt(zone, monday, HOUR),
    span: { from: instantAt(zone, addDays(monday, -7), 0), to: instantAt(zone, monday, 0) },
  };
};

/** The last week whose report is due. */
export function dueWeek(zone: string, now: number): ReportWeek {
  const today = dayIn(zone, now);
  const thisWeek = mondayOf(zone, today);
  return thisWeek.dueAt <= now ? thisWeek : mondayOf(zone, addDays(today, -7));
}

/** When the next report is due. */
export function nextReportAt(zone: string, now: number): number {
  const today = dayIn(zone, now);
  const thisWeek = mondayOf(zone, today);
  return thisWeek.dueAt > now ? thisWeek.dueAt : mondayOf(zone, addDays(today, 7)).dueAt;
}

export interface Wanting {
  readonly reportPeriod: 'week' | 'false';
  readonly timezone: string;
  readonly confirmed: boolean;
}

export interface Planned {
  readonly lastWeek: string | null;
  /** Infinity: not before something changes. */
  readonly lookAt: number;
  readonly report: ReportWeek | null;
}

/**
 * What is due to somebody who was last reported the week of `lastWeek` to. Who begins to want reports gets none of the past; who was unreachable
 * for some weeks, or sat in an instance that was off, gets the last one. A change of zone makes a Monday neither come twice nor be left out.
 */
export function plan(lastWeek: string | null, account: Wanting, now: number): Planned {
  if (account.reportPeriod !== 'week' || !account.confirmed) return { lastWeek: null, lookAt: Infinity, report: null };
  const zone = account.timezone;
  const week = dueWeek(zone, now);
  const lookAt = nextReportAt(zone, now);
  if (lastWeek === null) return { lastWeek: week.monday, lookAt, report: null };
  return week.monday > lastWeek ? { lastWeek: week.monday, lookAt, report: week } : { lastWeek, lookAt, report: null };
}
