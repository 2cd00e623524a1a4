import type { ReportSpan } from '../sender/outgoing-message.ts';
import { addDays, type CalendarDay, dayIn, instantAt, isoDay, weekday } from './local-time.ts';

export interface ReportWeek {
  /** The day it is due, which names the week in every time zone. */
  readonly monday: string;
  readonly span: ReportSpan;
}

/** Reports are due on Mondays at this hour in the recipient's time zone. */
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

export interface ReportSubscriber {
  readonly reportPeriod: 'week' | 'false';
  readonly timezone: string;
  readonly confirmed: boolean;
}

export interface ReportDecision {
  readonly lastWeek: string | null;
  /** Infinity: only after an event of the account. */
  readonly reviewAt: number;
  readonly report: ReportWeek | null;
}

/**
 * The report due to an account whose last report was for `lastWeek`. A new subscriber gets no report of the past; after weeks without delivery
 * only the latest week is reported. A change of time zone neither repeats nor skips a week.
 */
export function decideReport(lastWeek: string | null, account: ReportSubscriber, now: number): ReportDecision {
  if (account.reportPeriod !== 'week' || !account.confirmed) return { lastWeek: null, reviewAt: Infinity, report: null };
  const zone = account.timezone;
  const week = dueWeek(zone, now);
  const reviewAt = nextReportAt(zone, now);
  if (lastWeek === null) return { lastWeek: week.monday, reviewAt, report: null };
  return week.monday > lastWeek ? { lastWeek: week.monday, reviewAt, report: week } : { lastWeek, reviewAt, report: null };
}
