/** An event on the bar of time. */
export interface Recorded {
  readonly at: string;
}

/** The instant that shows an event as happened: right after it was recorded. */
export const shownInstantOf = ({ at }: Recorded): number => Date.parse(at) + 1;

/** The event before or after the instant that is shown, which is null for now; null: there is none. */
export function neighbour(events: readonly Recorded[], shown: number | null, direction: -1 | 1): number | null {
  const instants = events.map(shownInstantOf);
  if (direction === -1) return instants.findLast((at) => shown === null || at < shown) ?? null;
  return shown === null ? null : (instants.find((at) => at > shown) ?? null);
}
