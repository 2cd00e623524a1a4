/** An event of a chain, as far as its place depends on it. */
export interface Chained {
  readonly id: string;
  readonly causationId: string | null;
  readonly commandId: string;
}

export interface PlacedEvent<Event extends Chained> {
  readonly event: Event;
  /** Steps from the first cause. */
  readonly column: number;
  readonly row: number;
  /** The row of its cause; null: it has none in the chain. */
  readonly causeRow: number | null;
}

/** Each event below its cause and a step to the right, in the order of the log: a chain reads from cause to phone. */
export function layOut<Event extends Chained>(events: readonly Event[]): readonly PlacedEvent<Event>[] {
  const placed = new Map<string, PlacedEvent<Event>>();
  const children = new Map<string | null, Event[]>();
  const known = new Map(events.flatMap((event) => [[event.id, event.id] as const, [event.commandId, event.id] as const]));
  for (const event of events) {
    const cause = event.causationId === null ? null : (known.get(event.causationId) ?? null);
    const of = cause === event.id ? null : cause;
    children.set(of, [...(children.get(of) ?? []), event]);
  }
  const place = (event: Event, column: number, causeRow: number | null): void => {
    if (placed.has(event.id)) return;
    const row = placed.size;
    placed.set(event.id, { event, column, row, causeRow });
    for (const effect of children.get(event.id) ?? []) place(effect, column + 1, row);
  };
  for (const event of children.get(null) ?? []) place(event, 0, null);
  // Events in a circle, which no log of this product has, are shown all the same.
  for (const event of events) place(event, 0, null);
  return [...placed.values()];
}
