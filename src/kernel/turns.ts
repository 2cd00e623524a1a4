import { hash32 } from './hash.ts';

/** Something that recurs: every `periodMs`, at a fixed offset of it. */
export interface Turns {
  readonly periodMs: number;
  readonly phaseMs: number;
}

/** The first turn strictly after now. */
export const nextTurn = ({ periodMs, phaseMs }: Turns, now: number): number =>
  Math.floor((now - phaseMs) / periodMs) * periodMs + phaseMs + periodMs;

/** The last turn up to now. */
export const lastTurn = (turns: Turns, now: number): number => nextTurn(turns, now) - turns.periodMs;

/** The same offset for a key for ever, spread evenly over the period. */
export const phaseOf = (key: string, periodMs: number): number => Math.floor((hash32(key) / 2 ** 32) * periodMs);
