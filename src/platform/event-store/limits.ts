import { DomainError } from '../../kernel/errors.ts';
import type { NewEvent } from '../../kernel/event.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';

export const MAX_EVENT_BYTES = 60 * 1024;
export const MAX_APPEND_BYTES = 1024 * 1024;

export class EventTooLarge extends DomainError {
  readonly code = 'EVENT_TOO_LARGE';
}

/** Streams, types and scopes hold no character that JSON escapes, because `log-rows.ts` builds JSON text from them unescaped. */
export const isValidName = (text: string): boolean => /^[^"\\\p{Cc}\p{Cs}]+$/u.test(text);

export interface SerialisedEvent {
  readonly event: NewEvent;
  readonly data: string;
  readonly meta: string;
  readonly bytes: number;
}

/** Validates and serialises before any client library sees the events: a BigInt or a cycle throws at the caller, not inside a client's stream. */
export function serialise(stream: string, events: readonly NewEvent[]): readonly SerialisedEvent[] {
  if (events.length === 0) throw new RangeError(`an append to ${stream} needs at least one event`);
  if (new Set(events.map((event) => event.id)).size < events.length) throw new RangeError(`an append to ${stream} repeats an event id`);
  let total = 0;
  return events.map((event) => {
    const invalid = [stream, event.type, event.scope].find((name) => !isValidName(name));
    if (invalid !== undefined) throw new RangeError(`${JSON.stringify(invalid)} is not a valid stream name, event type or scope`);
    if (!UUID_PATTERN.test(event.id)) throw new RangeError(`${JSON.stringify(event.id)} is not a valid event id: a UUID in lower case`);
    const data = jsonOf(event, 'data');
    const meta = jsonOf(event, 'meta');
    const bytes = Buffer.byteLength(data) + Buffer.byteLength(meta);
    total += bytes;
    if (bytes > MAX_EVENT_BYTES) throw new EventTooLarge(`${event.type} has ${String(bytes)} bytes, more than ${String(MAX_EVENT_BYTES)}`);
    if (total > MAX_APPEND_BYTES) throw new EventTooLarge(`an append has more than ${String(MAX_APPEND_BYTES)} bytes`);
    return { event, data, meta, bytes };
  });
}

/** `JSON.stringify` returns undefined for values such as functions, whatever its type says. */
function jsonOf(event: NewEvent, part: 'data' | 'meta'): string {
  const json: unknown = JSON.stringify(event[part]);
  if (typeof json !== 'string') throw new TypeError(`${part} of ${event.type} has no JSON form`);
  return json;
}
