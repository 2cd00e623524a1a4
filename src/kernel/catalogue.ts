import type { StreamEvent } from './event.ts';

type Json = Record<string, unknown>;

/** The current version of an event type and its upcasters: `upcasters[0]` lifts version 1 to 2, and so on. A published shape is never edited. */
export interface EventEntry {
  /** `internal`: a step on the way to a decision. It may change or disappear in any version; everything else is a published contract. */
  readonly visibility?: 'internal';
  readonly version: number;
  readonly upcasters?: readonly ((data: Json) => Json)[];
}

/** One entry for each event of a noun; a missing one does not compile. */
export type EntriesOf<Events> = { readonly [Type in keyof Events]: EventEntry };

/** Upcasts an event to its current version. Unknown types pass unchanged, so that an old log stays readable. */
export function upcastWith(
  catalogue: Readonly<Record<string, EventEntry>>,
): <E extends Pick<StreamEvent, 'type' | 'version' | 'data'>>(event: E) => E {
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
