/** An instant and its original offset, which an answer repeats. */
export interface Instant {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly offsetMinutes: number;
}

/** From `from` up to, not including, `to`, in milliseconds since the epoch. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export type ReadInstant =
  | ({
      readonly kind: 'instant';
      /** In UTC with microseconds, the log's format, so that an instant from an answer can be used in a query. */
      readonly utc: string;
    } & Instant)
  | { readonly kind: 'invalid'; readonly reason: string };

const FORM = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
const BASIC = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;

/**
 * Reads an ISO 8601 date-time out of a query (docs/spec/decisions.md#G8): a `+` that arrived as a space is read as `+`, `+0000` is accepted, a time without an
 * offset is UTC, a date without a time is invalid.
 */
export function readInstant(raw: unknown): ReadInstant {
  if (typeof raw !== 'string' || raw.trim() === '') return invalid('it is empty');
  const text = raw.trim().replace(/ (?=\d{2}(?::?\d{2})?$)/, '+');
  const parts = FORM.exec(text) ?? BASIC.exec(text);
  if (parts === null) return invalid('it is not an ISO 8601 date-time such as 2023-03-23T12:53:20+00:00');
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) => Number(parts[index] ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return invalid('there is no such day');
  const endOfDay = hour === 24 && minute === 0 && second === 0 && Number(parts[7] ?? 0) === 0;
  // A leap second is read as the first of the next minute.
  if ((hour > 23 && !endOfDay) || minute > 59 || second > 60) return invalid('there is no such time of day');
  const offsetMinutes = readOffset(parts[8]);
  if (offsetMinutes === null) return invalid('there is no such offset');
  const digits = (parts[7] ?? '').padEnd(6, '0');
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second, Number(digits.slice(0, 3)));
  return bounded(local.getTime(), digits.slice(3, 6), offsetMinutes);
}

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Refuses instants that, in their offset or in UTC, have no four-digit year and do not fit the log. */
function bounded(local: number, micros: string, offsetMinutes: number): ReadInstant {
  const at = local - offsetMinutes * 60_000;
  if (at < FIRST || Math.max(at, local) > LAST) return invalid('it lies before the year 1 or after the year 9999');
  return { kind: 'instant', at, utc: `${new Date(at).toISOString().slice(0, -1)}${micros}Z`, offsetMinutes };
}

const invalid = (reason: string): ReadInstant => ({ kind: 'invalid', reason });

const leap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

const daysIn = (year: number, month: number): number => (month === 2 ? (leap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31);

function readOffset(text: string | undefined): number | null {
  if (text === undefined || text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return null;
  const total = hours * 60 + minutes;
  return text.startsWith('-') && total > 0 ? -total : total;
}

/** `2023-03-23T12:53:20+00:00`; fractions of a second only where there are any. */
export function formatInstant(at: number, offsetMinutes = 0): string {
  const iso = new Date(at + offsetMinutes * 60_000).toISOString();
  const [date, fraction] = [iso.slice(0, -5), iso.slice(-5, -1)];
  const absolute = Math.abs(offsetMinutes);
  const offset = `${two(Math.floor(absolute / 60))}:${two(absolute % 60)}`;
  return `${date}${fraction === '.000' ? '' : fraction}${offsetMinutes < 0 ? '-' : '+'}${offset}`;
}

/** An instant of the log: ISO 8601 in UTC with microseconds, which a `Date` cannot hold. */
export function isoMicroseconds(microseconds: number): string {
  const whole = new Date(Math.floor(microseconds / 1000)).toISOString();
  return `${whole.slice(0, -1)}${String(microseconds % 1000).padStart(3, '0')}Z`;
}

/** The last instant of the log before this one, which is in UTC with up to six digits behind the second; nothing was recorded before 1970. */
export function justBefore(utc: string): string {
  const [, micros = ''] = /\.\d{3}(\d{1,3})/.exec(utc) ?? [];
  return isoMicroseconds(Math.max(0, Date.parse(utc) * 1000 + Number(micros.padEnd(3, '0')) - 1));
}

const two = (value: number): string => String(value).padStart(2, '0');
