import type { StateInterval } from '../codec/read-intervals.ts';
import { packIntervals, unpackIntervals } from '../codec/intervals.ts';
import { DAY_MS } from '../../../kernel/time.ts';

export type DayState = 'up' | 'down' | 'timeout';
export type DayInterval = StateInterval<DayState>;

export const utcDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);
/** Months since the year 0, so that months form a numeric range. */
export const monthOf = (at: number): number => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
export const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);

const states: readonly DayState[] = ['up', 'down', 'timeout'];

/** Packs the intervals of one UTC day, from midnight on. */
export function packDay(day: string, intervals: readonly DayInterval[]): Buffer {
  if ((intervals.at(-1)?.to ?? 0) > startOfDay(day) + DAY_MS) throw new RangeError(`the intervals extend beyond the day ${day}`);
  return packIntervals(states, startOfDay(day), intervals);
}

export const unpackDay = (day: string, packed: Uint8Array): readonly DayInterval[] => unpackIntervals(states, startOfDay(day), packed);
