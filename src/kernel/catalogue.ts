import type { LogEvent, StreamEvent } from './event.ts';

type Json = Record<string, unknown>;

/** How one event type is written today, and how each older version is read: `upcasters[0]` takes version 1 to 2, and so on. A published shape is never edited. */
export interface EventEntry {
  /** `internal`: a step on the way to a decision. It may change or disappear in any version; everything else is a published contract. */
  readonly visibility?: 'internal';
  readonly version: number;
  readonly upcasters?: readonly ((data: Json) => Json)[];
}

/** One entry for each event of a noun; the compiler names a missing one. */
export type EntriesOf<Events> = { readonly [Type in keyof Events]: EventEntry };

/** Lifts an event that an older version wrote to today's shape. Unknown types pass untouched: an old log must stay readable. */
export function upcastWith(catalogue: Readonly<Record<string, EventEntry>>): <E extends StreamEvent | LogEvent>(event: E) => E {
  return (event) => {
    const entry = catalogue[event.type];
    if (entry === undefined || event.version >= entry.version) return event;
    let data: object = event.data;
    for (let version = event.version; version < entry.version; version++) {
      const step = entry.upcasters?.[version - 1];
      if (step === undefined) throw new Error(`${event.type} has no upcaster from version ${String(version)}`);
      data = step(data as Json);
    }
    return { ...event, version: entry.version, data };
  };
}
