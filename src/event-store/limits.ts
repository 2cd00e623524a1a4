import { DomainError } from '../kernel/errors.ts';
import type { NewEvent } from '../kernel/event.ts';
import { UUID } from '../kernel/ids.ts';

export const MAX_EVENT_BYTES = 60 * 1024;
export const MAX_APPEND_BYTES = 1024 * 1024;

export class EventTooLarge extends DomainError {
  readonly code = 'EVENT_TOO_LARGE';
}

/** Streams, types and scopes hold nothing that JSON escapes: the log builds its text from them as they are. */
export const isName = (text: string): boolean => /^[^"\\\p{Cc}\p{Cs}]+$/u.test(text);

/** Serialised here, before any client sees it: a BigInt or a cycle throws at the caller instead of inside a client's stream. */
export interface SerialisedEvent {
  readonly event: NewEvent;
  readonly data: string;
  readonly meta: string;
  readonly bytes: number;
}

export function serialise(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  if (new Set(events.map((event) => event.id)).size < events.length) throw new RangeError(`an append to ${stream} repeats an event id`);
  let total = 0;
  return events.map((event) => {
    const bad = [stream, event.type, event.scope].find((name) => !isName(name));
    if (bad !== undefined) throw new RangeError(`${JSON.stringify(bad)} is no name for a stream, a type or a scope`);
    if (!UUID.test(event.id)) throw new RangeError(`${JSON.stringify(event.id)} is no id for an event`);
    const data = text(event, 'data');
    const meta = text(event, 'meta');
    const bytes = Buffer.byteLength(data) + Buffer.byteLength(meta);
    total += bytes;
    if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(`${event.type} has ${String(bytes)} bytes, more than ${String(MAX_EVENT_BYTES)}`);
    if (total > MAX_APPEND_BYTES) throw new EventTooLarge(`an append has more than ${String(MAX_APPEND_BYTES)} bytes`);
    return { event, data, meta, bytes };
  });
}

/** `JSON.stringify` answers undefined for what has no JSON, whatever its type says. */
function text(event: NewEvent, part: 'data' | 'meta'): string {
  const json: unknown = JSON.stringify(event[part]);
  if (typeof json !== 'string') throw new TypeError(`${part} of ${event.type} has no JSON`);
  return json;
}
