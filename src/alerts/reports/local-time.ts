import { DAY_MS } from '../../kernel/time.ts';

/** A calendar day without a time zone. `month` counts from 1. */
export interface CalendarDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** An unknown time zone reads as UTC. */
function formatOf(zone: string): Intl.DateTimeFormat {
  // Formats are cached by lower-case name: each takes tens of kilobytes, and a name has thousands of spellings.
  const name = zone.toLowerCase();
  const known = formats.get(name);
  if (known !== undefined) return known;
  const options = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, hourCycle: 'h23', calendar: 'iso8601', timeZone: zone });
  } catch {
    return formatOf('UTC');
  }
  formats.set(name, format);
  return format;
}

/** The local time of an instant in a zone, encoded as if it were UTC. */
function localAsUtc(zone: string, instant: number): number {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
}

/** How far the local time of a zone is ahead of UTC. */
export const offsetMinutesAt = (zone: string, instant: number): number => {
  const second = Math.floor(instant / 1_000) * 1_000;
  return Math.round((localAsUtc(zone, second) - second) / 60_000);
};

export function dayIn(zone: string, instant: number): CalendarDay {
  return dayOf(localAsUtc(zone, instant));
}

export const addDays = ({ year, month, day }: CalendarDay, days: number): CalendarDay => dayOf(Date.UTC(year, month - 1, day + days));

/** 0 on a Monday, 6 on a Sunday. */
export const weekday = ({ year, month, day }: CalendarDay): number => (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;

export const isoDay = ({ year, month, day }: CalendarDay): string => new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);

/**
 * The instant of a local time. One that occurs twice (end of summer time) means the first occurrence; one that is skipped (start of summer
 * time) is shifted by the size of the gap. Monotonic: a later hour never gives an earlier instant.
 */
export function instantAt(zone: string, { year, month, day }: CalendarDay, hour: number, minute = 0): number {
  const wanted = Date.UTC(year, month - 1, day, hour, minute);
  // No zone changes its offset twice within two days, except where a whole day is skipped; then the day before has the right offset.
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((near) => localAsUtc(zone, near) - near);
  const instants = offsets.map((offset) => wanted - offset);
  const fitting = instants.filter((instant) => localAsUtc(zone, instant) === wanted);
  return fitting.length > 0 ? Math.min(...fitting) : (instants[0] ?? wanted);
}

function dayOf(asUtc: number): CalendarDay {
  const date = new Date(asUtc);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}
