import type { Repeat } from '../projects/maintenance/maintenance.events.ts';
import { formatInstant } from '../kernel/instants.ts';
import { addDays, type CalendarDay, dayIn, instantAt, offsetMinutesAt, weekday } from '../alerts/reports/local-time.ts';
import { MINUTE_MS } from '../kernel/time.ts';

/** A maintenance window of a site file. */
export interface ImportedWindow {
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly repeat?: Repeat;
}

export type MaintenanceDays =
  | { readonly kind: 'daily' }
  /** 0 is Monday. */
  | { readonly kind: 'weekly'; readonly weekdays: readonly number[] }
  /** `lastDay`: of each month. */
  | { readonly kind: 'monthly'; readonly daysOfMonth: readonly number[]; readonly lastDay: boolean };

/** Maintenance as most sources plan it: from a local time of day on, on certain days. */
export interface RepeatedMaintenance {
  readonly note: string;
  readonly zone: string;
  readonly startMinute: number;
  readonly minutes: number;
  readonly days: MaintenanceDays;
  /** On no day before it. */
  readonly since?: CalendarDay | null;
  /** It ends at this instant. */
  readonly until?: number | null;
}

interface MadeWindows {
  readonly windows: readonly ImportedWindow[];
  /** How they differ from their source. */
  readonly changes: readonly string[];
}

const DAY_MINUTES = 1_440;
/** The shortest distance between two beginnings (src/projects/maintenance). */
const MOST_MINUTES = { daily: DAY_MINUTES, weekly: 7 * DAY_MINUTES, monthly: 28 * DAY_MINUTES } as const;
/** In place of a repetition that ends, which a window does not. */
const [MOST_SINGLE, MOST_DAYS] = [50, 3_660];
const LONGEST_NOTE = 1_000;
/** As an alert or a report names it. */
export const noteOf = (title: string, description: string): string =>
  [title, description]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(': ')
    .slice(0, LONGEST_NOTE);

export function singleWindow(from: number, to: number, note: string, zone: string): ImportedWindow {
  const offset = offsetMinutesAt(zone, from);
  return { from: formatInstant(from, offset), to: formatInstant(to, offset), note };
}

/** The windows of a repeated maintenance, or why there are none. */
export function repeatedWindows(given: RepeatedMaintenance, now: number): MadeWindows | string {
  const { minutes, days, until = null } = given;
  if (!(minutes > 0)) return 'it has no length';
  if (minutes > MOST_MINUTES[days.kind]) return 'it lasts longer than until it begins again';
  return until === null ? endlessWindows(given, now) : singleWindows(given, until, now);
}

/** A window repeats at the same time in UTC, each month on the day on which it began or on the last day of a shorter month. */
function endlessWindows(given: RepeatedMaintenance, now: number): MadeWindows {
  const { days, zone } = given;
  const changes = hasSummerTime(zone, now) ? [`${zone}: a window stays at its time in UTC when summer time begins and ends`] : [];
  if (days.kind === 'daily') return { windows: [windowFrom(given, () => true, now, 'daily')], changes };
  if (days.kind === 'weekly') {
    const weekdays = [...new Set(days.weekdays)].toSorted();
    if (weekdays.length === 7) return endlessWindows({ ...given, days: { kind: 'daily' } }, now);
    return { windows: weekdays.map((wanted) => windowFrom(given, (day) => weekday(day) === wanted, now, 'weekly')), changes };
  }
  const isLate = (day: number): boolean => day > 28 && !(day === 31 && days.lastDay);
  const daysOfMonth = [...new Set([...days.daysOfMonth, ...(days.lastDay ? [31] : [])])].toSorted((a, b) => a - b);
  return {
    windows: daysOfMonth.map((wanted) => windowFrom(given, ({ day }) => day === wanted, now, 'monthly')),
    changes: [...changes, ...daysOfMonth.filter(isLate).map((day) => `day ${String(day)}: the last day of a month that is shorter`)],
  };
}

/** From its first day in this year on, so that another import in this year makes the same window. */
function windowFrom(
  { note, zone, startMinute, minutes, since = null }: RepeatedMaintenance,
  isDay: (day: CalendarDay) => boolean,
  now: number,
  repeat: Repeat,
): ImportedWindow {
  const newYear: CalendarDay = { year: dayIn(zone, now).year, month: 1, day: 1 };
  let day = since !== null && asUtc(since) > asUtc(newYear) ? since : newYear;
  while (!isDay(day)) day = addDays(day, 1);
  const offset = offsetMinutesAt(zone, Math.max(now, asUtc(day)));
  const from = asUtc(day) + (startMinute - offset) * MINUTE_MS;
  return { from: formatInstant(from, offset), to: formatInstant(from + minutes * MINUTE_MS, offset), note, repeat };
}

function singleWindows(given: RepeatedMaintenance, until: number, now: number): MadeWindows | string {
  if (until <= now) return IS_OVER;
  const { note, zone, startMinute, minutes, days, since = null } = given;
  const today = addDays(dayIn(zone, now), -1);
  const windows: ImportedWindow[] = [];
  let day = since !== null && asUtc(since) > asUtc(today) ? since : today;
  for (let count = 0; count < MOST_DAYS && asUtc(day) <= until + DAY_MINUTES * MINUTE_MS; count++, day = addDays(day, 1)) {
    const from = instantAt(zone, day, Math.floor(startMinute / 60), startMinute % 60);
    const to = Math.min(until, from + minutes * MINUTE_MS);
    if (to > Math.max(now, from) && isOn(days, day)) windows.push(singleWindow(from, to, note, zone));
    if (windows.length > MOST_SINGLE) return `it ends on ${new Date(until).toISOString().slice(0, 10)}: windows that repeat have no end`;
  }
  return windows.length === 0 ? IS_OVER : { windows, changes: [] };
}

export const IS_OVER = 'it is over';

function isOn(days: MaintenanceDays, day: CalendarDay): boolean {
  if (days.kind === 'daily') return true;
  if (days.kind === 'weekly') return days.weekdays.includes(weekday(day));
  return days.daysOfMonth.includes(day.day) || (days.lastDay && addDays(day, 1).day === 1);
}

const asUtc = ({ year, month, day }: CalendarDay): number => Date.UTC(year, month - 1, day);

function hasSummerTime(zone: string, now: number): boolean {
  const { year } = dayIn(zone, now);
  const [january, july] = [0, 6].map((month) => offsetMinutesAt(zone, Date.UTC(year, month, 1)));
  return january !== july;
}

/** Reads `7:30`, `07:30` and `07:30:00`; null for anything else. */
export function minuteOfDay(time: string): number | null {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?$/.exec(time.trim()) ?? [];
  return hour === undefined || Number(hour) > 23 || Number(minute) > 59 ? null : Number(hour) * 60 + Number(minute);
}

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** By their English names or the first three letters of them; 0 is Monday. Null where one is none. */
export function weekdaysNamed(names: readonly string[]): readonly number[] | null {
  const weekdays = names.map((name) => WEEKDAYS.indexOf(name.trim().slice(0, 3).toLowerCase()));
  return weekdays.includes(-1) ? null : weekdays;
}

/** The zone by the name that a source has for it; null: there is none. */
export function zoneNamed(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
