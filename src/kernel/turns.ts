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
export const phaseOf = (key: string, periodMs: number): number => Math.floor((spread(key) / 2 ** 32) * periodMs);

/** A number from 0 up to, not including, 2^32, that tells keys apart well (FNV-1a, with the bits mixed at the end). */
export function spread(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
