import { DomainError } from '../kernel/errors.ts';
import type { NewEvent } from '../kernel/event.ts';

export const MAX_EVENT_BYTES = 60 * 1024;
export const MAX_APPEND_BYTES = 1024 * 1024;

export class EventTooLarge extends DomainError {
  readonly code = 'EVENT_TOO_LARGE';
}

/** The outcome of an append is unknown, or the store is away: the identical append may be repeated. */
export class StoreUnavailable extends DomainError {
  readonly code = 'STORE_UNAVAILABLE';
}

/** Serialised here, before any client sees it: a BigInt or a cycle throws at the caller instead of inside a client's stream. */
export interface SerialisedEvent {
  readonly event: NewEvent;
  readonly data: string;
  readonly meta: string;
}

export function serialise(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  let total = 0;
  return events.map((event) => {
    const data = JSON.stringify(event.data);
    const meta = JSON.stringify(event.meta);
    const bytes = Buffer.byteLength(data) + Buffer.byteLength(meta);
    total += bytes;
    if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(`${event.type} has ${String(bytes)} bytes, more than ${String(MAX_EVENT_BYTES)}`);
    if (total > MAX_APPEND_BYTES) throw new EventTooLarge(`an append has more than ${String(MAX_APPEND_BYTES)} bytes`);
    return { event, data, meta };
  });
}
