/** How instants and spans are written: absolute in the zone of the reader, with the relative one where it helps. */

const SECOND = 1_000;
export const MINUTE_LENGTH = 60 * SECOND;
export const HOUR_LENGTH = 60 * MINUTE_LENGTH;
export const DAY_LENGTH = 24 * HOUR_LENGTH;

const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat(undefined, options);

const clock = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockWithSeconds = format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
const day = format({ day: 'numeric', month: 'short' });
const dayOfYear = format({ day: 'numeric', month: 'short', year: 'numeric' });
const utcDay = format({ day: 'numeric', month: 'short', timeZone: 'UTC' });
const full = format({
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

export const clockText = (at: number): string => clock.format(at);
export const preciseClockOf = (at: number): string => clockWithSeconds.format(at);
export const dayText = (at: number): string => day.format(at);
export const yearDayText = (at: number): string => dayOfYear.format(at);
/** The day of an instant at UTC midnight, which belongs to the day before in zones west of it. */
export const utcDayText = (at: number): string => utcDay.format(at);
export const fullOf = (at: number): string => full.format(at);
/** The zone of the reader, beside fields in which an instant is typed: `Europe/Prague`. */
export const zoneText = (): string => full.resolvedOptions().timeZone;
/** For tooltips: the same everywhere. */
export const utcOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Today the time, this year the day with it, before that the day alone. */
export function shortOf(at: number, now: number): string {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clockText(at);
  return then.getFullYear() === today.getFullYear() ? `${dayText(at)}, ${clockText(at)}` : dayOfYear.format(at);
}

/** `1 hour` as `every hour`, `30 minutes` as `every 30 minutes`. */
export const everyText = (period: string): string => `every ${period.replace(/^1 /, '')}`;

/** Such as `23 min`, `4 h`, `12 days`. */
export function spanOf(milliseconds: number): string {
  const length = Math.max(0, milliseconds);
  if (length < MINUTE_LENGTH) return `${String(Math.round(length / SECOND))} s`;
  if (length < 2 * HOUR_LENGTH) return `${String(Math.round(length / MINUTE_LENGTH))} min`;
  if (length < 2 * DAY_LENGTH) return `${String(Math.round(length / HOUR_LENGTH))} h`;
  return `${String(Math.round(length / DAY_LENGTH))} days`;
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g;

/** A sentence of the service with its instants in the zone of the reader: the service writes them in UTC for all. */
export function localInstants(text: string, now: number): string {
  return text.replace(INSTANT, (instant) => {
    const at = Date.parse(instant);
    return Number.isNaN(at) ? instant : shortOf(at, now);
  });
}

/** An instant as a field for date and time takes it: in the zone of the reader, without a zone. */
export function localField(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
