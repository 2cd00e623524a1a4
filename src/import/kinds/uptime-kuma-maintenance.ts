import { type CalendarDay, dayIn, instantAt, weekday } from '../../alerts/reports/local-time.ts';
import type { ImportFindings } from '../findings.ts';
import {
  type ImportedWindow,
  IS_OVER,
  type MaintenanceDays,
  minuteOfDay,
  noteOf,
  repeatedWindows,
  singleWindow,
  zoneNamed,
} from '../maintenance-windows.ts';
import type { SqliteRecord } from '../sqlite/sqlite-database.ts';
import { readCron } from './cron-days.ts';

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2}))?/;

export interface KumaMaintenance {
  readonly record: SqliteRecord;
  /** The time zone of Kuma, which counts when the maintenance has none of its own; null when it is not in the database. */
  readonly serverZone: string | null;
  readonly now: number;
}

/** What Kuma repeats, from several times of day on. */
interface Repetition {
  readonly startMinutes: readonly number[];
  readonly minutes: number;
  readonly days: MaintenanceDays;
}

/** The windows of a maintenance; none, with its reason among the findings, where windows cannot say the same. */
export function windowsOfKuma(maintenance: KumaMaintenance, findings: ImportFindings): readonly ImportedWindow[] {
  const name = labelOfMaintenance(maintenance.record);
  const made = windowsOf(maintenance, (reason) => findings.change(name, reason));
  if (typeof made !== 'string') return made;
  findings.leaveOut(name, made);
  return [];
}

export const labelOfMaintenance = (record: SqliteRecord): string => `maintenance ${textOf(record, 'title') || textOf(record, 'id')}`;

function windowsOf({ record, serverZone, now }: KumaMaintenance, change: (reason: string) => void): readonly ImportedWindow[] | string {
  if (record['active'] === 0) return 'it is switched off';
  if (record['strategy'] === 'manual') return 'it is switched on and off by hand';
  const own = textOf(record, 'timezone').replace('SAME_AS_SERVER', '');
  const zone = zoneNamed(own || (serverZone ?? 'UTC'));
  if (zone === null) return `${own || (serverZone ?? '')}: a time zone that this machine does not know`;
  if (own === '' && serverZone === null)
    change('its time zone is that of the machine of Kuma, which the database does not have: read as UTC');
  const note = noteOf(textOf(record, 'title'), textOf(record, 'description'));
  const [from, to] = [instantIn(record['start_date'], zone), instantIn(record['end_date'], zone)];
  if (record['strategy'] === 'single') {
    if (from === null || to === null || to <= from) return 'its begin and its end are not valid';
    return to <= now ? IS_OVER : [singleWindow(from, to, note, zone)];
  }
  const repetition = repetitionOf(record, zone);
  if (typeof repetition === 'string') return repetition;
  const { startMinutes, ...when } = repetition;
  const since = from === null ? null : dayIn(zone, from);
  const made = startMinutes.map((startMinute) => repeatedWindows({ ...when, startMinute, note, zone, since, until: to }, now));
  const refused = made.find((one) => typeof one === 'string');
  if (refused !== undefined) return refused;
  const all = made.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  for (const reason of new Set(all.flatMap(({ changes }) => changes))) change(reason);
  return all.flatMap(({ windows }) => windows);
}

function repetitionOf(record: SqliteRecord, zone: string): Repetition | string {
  if (record['strategy'] === 'cron') {
    const pattern = textOf(record, 'cron');
    const times = readCron(pattern);
    return times === null
      ? `cron ${pattern}: windows repeat daily, weekly or monthly`
      : { ...times, minutes: Number(record['duration']) / 60 };
  }
  const [start, end] = [minuteOfDay(textOf(record, 'start_time')), minuteOfDay(textOf(record, 'end_time'))];
  if (start === null || end === null) return 'its times of day are not valid';
  const days = daysOf(record, zone);
  return typeof days === 'string' ? days : { startMinutes: [start], minutes: end < start ? end - start + 1_440 : end - start, days };
}

function daysOf(record: SqliteRecord, zone: string): MaintenanceDays | string {
  const numbersIn = (column: string): readonly number[] => listIn(record[column]).filter((one) => typeof one === 'number');
  switch (record['strategy']) {
    case 'recurring-interval': {
      const days = Number(record['interval_day']);
      const first = anchorOf(record, zone);
      if (days === 1) return { kind: 'daily' };
      return days === 7 && first !== null
        ? { kind: 'weekly', weekdays: [weekday(first)] }
        : `every ${String(days)} days: windows repeat daily, weekly or monthly`;
    }
    case 'recurring-weekday': {
      const weekdays = numbersIn('weekdays').filter((day) => day >= 0 && day <= 7);
      return weekdays.length === 0 ? 'it has no days' : { kind: 'weekly', weekdays: weekdays.map((day) => (day + 6) % 7) };
    }
    case 'recurring-day-of-month': {
      // Kuma's own schedule leaves the second last day and earlier ones out.
      const lastDay = listIn(record['days_of_month']).includes('lastDay1');
      const daysOfMonth = numbersIn('days_of_month').filter((day) => day >= 1 && day <= 31);
      return daysOfMonth.length === 0 && !lastDay ? 'it has no days' : { kind: 'monthly', daysOfMonth, lastDay };
    }
    default:
      return `${textOf(record, 'strategy')}: a strategy that this version does not know`;
  }
}

/** Kuma counts from the last time, which is in UTC. */
function anchorOf(record: SqliteRecord, zone: string): CalendarDay | null {
  const last = instantIn(record['last_start_date'], 'UTC') ?? instantIn(record['start_date'], zone);
  return last === null ? null : dayIn(zone, last);
}

function instantIn(text: unknown, zone: string): number | null {
  const [, year, month, day, hour = '0', minute = '0'] = LOCAL.exec(typeof text === 'string' ? text : '') ?? [];
  if (year === undefined) return null;
  return instantAt(zone, { year: Number(year), month: Number(month), day: Number(day) }, Number(hour), Number(minute));
}

function listIn(json: unknown): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(String(json));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

const textOf = (record: SqliteRecord, column: string): string => {
  const value = record[column];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};
