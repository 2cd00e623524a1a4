interface Chained {
  readonly id: string;
  readonly correlationId: string;
}

export interface CauseAndEffects<Event extends Chained> {
  /** The first of them in time. */
  readonly cause: Event;
  /** Those that followed, in the order of time. */
  readonly effects: readonly Event[];
}

/** Events, the newest first, by the chain that they belong to: where its newest event stands. */
export function chainsOf<Event extends Chained>(events: readonly Event[]): readonly CauseAndEffects<Event>[] {
  const chains = new Map<string, Event[]>();
  for (const event of events) {
    const chain = chains.get(event.correlationId);
    if (chain === undefined) chains.set(event.correlationId, [event]);
    else chain.unshift(event);
  }
  return [...chains.values()].flatMap(([cause, ...effects]) => (cause === undefined ? [] : [{ cause, effects }]));
}
