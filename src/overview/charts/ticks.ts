import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time.ts';

/** Round lengths of time; days are whole in the offset of the request. */
export const STEPS: readonly number[] = [
  ...[1, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650, 36_500, 365_000].map((days) => days * DAY_MS),
];

/** The finest step that divides a span into at most `max` pieces. */
export const stepFor = (span: number, max: number): number => STEPS.find((step) => span / step <= max) ?? 3_650_000 * DAY_MS;

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** The labelled instants of a time axis. */
export function timeTicks(from: number, to: number, offsetMinutes: number, maxTicks: number): readonly Tick[] {
  const step = stepFor(to - from, maxTicks);
  const shift = offsetMinutes * MINUTE_MS;
  const ticks: Tick[] = [];
  for (let at = Math.ceil((from + shift) / step) * step - shift; at <= to; at += step)
    ticks.push({ at, label: timeLabel(at + shift, step) });
  return ticks;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function timeLabel(local: number, step: number): string {
  const date = new Date(local);
  const day = `${String(date.getUTCDate())} ${MONTHS[date.getUTCMonth()] ?? ''}`;
  if (step >= 60 * DAY_MS) return `${MONTHS[date.getUTCMonth()] ?? ''} ${String(date.getUTCFullYear())}`;
  if (step >= DAY_MS) return day;
  const time = date.toISOString().slice(11, 16);
  return time === '00:00' ? day : time;
}

/** `1 Nov 2026 00:00`, for captions. */
export function instantLabel(at: number, offsetMinutes: number): string {
  const date = new Date(at + offsetMinutes * MINUTE_MS);
  return `${String(date.getUTCDate())} ${MONTHS[date.getUTCMonth()] ?? ''} ${String(date.getUTCFullYear())} ${date.toISOString().slice(11, 16)}`;
}

/** Round numbers from 0 to at least the greatest value. */
export function valueTicks(greatest: number, maxTicks: number): readonly number[] {
  if (!(greatest > 0)) return [0, 1];
  const rough = greatest / maxTicks;
  const magnitude = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * magnitude >= rough) ?? 10) * magnitude;
  return Array.from({ length: Math.ceil(greatest / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** Rounds to 0 % and 100 % only when the value is exactly that. */
export function percent(value: number): string {
  if (value === 0 || value === 100) return `${String(value)} %`;
  if (value > 99.995) return '> 99.99 %';
  if (value < 0.005) return '< 0.01 %';
  return `${value.toFixed(2)} %`;
}
