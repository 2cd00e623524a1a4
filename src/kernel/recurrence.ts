import { hash32 } from './hash.ts';

/** Repeats every `periodMs`, at a fixed offset from the epoch. */
export interface Recurrence {
  readonly periodMs: number;
  readonly phaseMs: number;
}

/** The first occurrence strictly after `now`. */
export const nextOccurrence = ({ periodMs, phaseMs }: Recurrence, now: number): number =>
  Math.floor((now - phaseMs) / periodMs) * periodMs + phaseMs + periodMs;

/** The last occurrence at or before `now`. */
export const lastOccurrence = (recurrence: Recurrence, now: number): number => nextOccurrence(recurrence, now) - recurrence.periodMs;

/** A stable offset for each key, spread evenly over the period. */
export const phaseOf = (key: string, periodMs: number): number => Math.floor((hash32(key) / 2 ** 32) * periodMs);
