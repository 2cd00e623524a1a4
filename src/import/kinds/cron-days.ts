import type { MaintenanceDays } from '../maintenance-windows.ts';

interface CronTimes {
  /** Minutes since the local midnight. */
  readonly startMinutes: readonly number[];
  readonly days: MaintenanceDays;
}

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const MOST_TIMES = 24;

/** The times of a cron pattern that begin on each day, on days of the week or on days of the month; null for any other pattern. */
export function readCron(pattern: string): CronTimes | null {
  const fields = pattern.trim().toUpperCase().split(/\s+/);
  const [second = '0'] = fields.length === 6 ? fields.splice(0, 1) : [];
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  if (fields.length !== 5 || second !== '0' || !isAny(month)) return null;
  const [minutes, hours] = [numbersIn(minute, 0, 59), numbersIn(hour, 0, 23)];
  const days = daysOf(day, weekday);
  if (minutes === null || hours === null || days === null || minutes.length * hours.length > MOST_TIMES) return null;
  return { startMinutes: hours.flatMap((one) => minutes.map((other) => one * 60 + other)), days };
}

const isAny = (field: string): boolean => /^[*?](?:\/1)?$/.test(field);

function daysOf(day: string, weekday: string): MaintenanceDays | null {
  if (isAny(day) && isAny(weekday)) return { kind: 'daily' };
  if (isAny(day)) {
    const names = weekday.replaceAll(/[A-Z]{3}/g, (name) => (WEEKDAYS.includes(name) ? String(WEEKDAYS.indexOf(name)) : name));
    const weekdays = numbersIn(names, 0, 7);
    return weekdays === null ? null : { kind: 'weekly', weekdays: weekdays.map((one) => (one + 6) % 7) };
  }
  // Both given: programs differ about whether one or both must hold.
  if (!isAny(weekday)) return null;
  const parts = day.split(',');
  const named = parts.filter((part) => part !== 'L');
  const daysOfMonth = named.length === 0 ? [] : numbersIn(named.join(','), 1, 31);
  return daysOfMonth === null ? null : { kind: 'monthly', daysOfMonth, lastDay: named.length < parts.length };
}

/** Reads `5`, `1-5`, `0,30`, `*`, and those with a step; null for anything else. */
function numbersIn(field: string, least: number, most: number): readonly number[] | null {
  const numbers: number[] = [];
  for (const part of field.split(',')) {
    const [, range = '', from, to, step] = /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    if (range === '') return null;
    const first = range === '*' ? least : Number(from);
    const last = range === '*' || (to === undefined && step !== undefined) ? most : Number(to ?? from);
    if (first < least || last > most || first > last || Number(step ?? 1) < 1) return null;
    for (let number = first; number <= last; number += Number(step ?? 1)) numbers.push(number);
  }
  return numbers;
}
