/** Something that happened at an instant of the past. */
export interface Happening {
  readonly at: number;
  readonly act: () => Promise<unknown>;
}

/** In the order of time. What happens at the same instant is of different projects or checks, and happens concurrently. */
export function byInstant(happenings: readonly Happening[]): readonly (readonly [at: number, acts: readonly Happening['act'][]])[] {
  const instants = new Map<number, Happening['act'][]>();
  for (const { at, act } of happenings) instants.set(at, [...(instants.get(at) ?? []), act]);
  return [...instants].sort(([one], [other]) => one - other);
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
