const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-10-03 23:30:00`, with milliseconds where there are any. */
export function timeIn(at: number | string, offsetMinutes: number): string {
  const shifted = (typeof at === 'number' ? at : Date.parse(at)) + offsetMinutes * 60_000;
  return new Date(shifted).toISOString().replace('T', ' ').replace('.000', '').replace('Z', '');
}

/** `2026-10-03` */
export const dateIn = (at: number, offsetMinutes: number): string => timeIn(at, offsetMinutes).slice(0, 10);

/** `October 2026` */
export const monthInWords = (month: string): string => `${MONTHS[Number(month.slice(5)) - 1] ?? ''} ${month.slice(0, 4)}`;

/** `1 h 10 min 15.25 s` */
export function durationOf(ms: number): string {
  if (ms === 0) return '0 s';
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms % 60_000) / 1_000];
  const parts = [
    hours > 0 ? `${String(hours)} h` : '',
    minutes > 0 ? `${String(minutes)} min` : '',
    seconds > 0 ? `${String(seconds)} s` : '',
  ];
  return parts.filter(Boolean).join(' ');
}

/** `03:12:15`, counted from midnight; the end of the day is 24:00:00. */
export function clockOf(ms: number): string {
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60];
  const rest = ms % 1_000;
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`;
}

/** `99.700 %` */
export const percentOf = (value: number | null, decimals: number): string =>
  value === null ? 'no time counts' : `${value.toFixed(decimals)} %`;
