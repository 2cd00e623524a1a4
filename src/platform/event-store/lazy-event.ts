import { inspect } from 'node:util';
import type { EventMeta, LogEvent } from '../../kernel/event.ts';

/** A row of the log table no longer holds what was written: its text is not one JSON value. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

export const damagedAt = (n: string, cause: unknown): LogDamaged =>
  new LogDamaged(`event ${n} of the log is damaged: its text is not JSON`, { cause });

/** An event without its content. */
export type EventEnvelope = Omit<LogEvent, 'data' | 'meta'>;

/** An event as the log stores it: a large batch of texts takes little memory, and no long turn of the event loop. */
export interface StoredEvent {
  readonly envelope: EventEnvelope;
  readonly data: string;
  readonly meta: string;
}

/** As a base class it lets another one add private fields to an object that exists: no copy, comparison or `JSON.stringify` sees them. Cast: `super` calls it as a constructor. */
const Extension = function (object: object): object {
  return object;
} as unknown as new (object: object) => object;

/** What the log stores of an event, each part as text until it is accessed. */
class LazyContent extends Extension {
  #data: string | object;
  #meta: string | EventMeta;

  constructor({ envelope, data, meta }: StoredEvent) {
    super(envelope);
    this.#data = data;
    this.#meta = meta;
  }

  static dataOf(event: LazyContent & EventEnvelope): object {
    const known = event.#data;
    return typeof known === 'string' ? (event.#data = parsedContent<object>(known, event)) : known;
  }

  static metaOf(event: LazyContent & EventEnvelope): EventMeta {
    const known = event.#meta;
    return typeof known === 'string' ? (event.#meta = parsedContent<EventMeta>(known, event)) : known;
  }
}

/** The cast holds because the columns have what an append wrote. */
export function parsedContent<Part extends object>(text: string, { n }: EventEnvelope): Part {
  try {
    return JSON.parse(text) as Part;
  } catch (cause) {
    throw damagedAt(String(n), cause);
  }
}

/** As a property of an object literal is: enumerable, and replaced by an assignment. */
const lazyProperty = (name: 'data' | 'meta', partOf: (event: LazyContent & EventEnvelope) => object) => ({
  get(this: LazyContent & EventEnvelope): object {
    return partOf(this);
  },
  set(this: object, value: unknown): void {
    Object.defineProperty(this, name, { value, enumerable: true, configurable: true, writable: true });
  },
  enumerable: true,
  configurable: true,
});

/** Shared by all events: with functions of its own, every object would have a hidden class of its own. */
const DATA = lazyProperty('data', (event) => LazyContent.dataOf(event));
const META = lazyProperty('meta', (event) => LazyContent.metaOf(event));

/** `console.log` would show getters. */
const INSPECTION = {
  value(this: object): object {
    return { ...this };
  },
};

/**
 * Adds data and meta data that are parsed at their first access. Reading, copying and comparing the event show no difference to a parsed one. It keeps the
 * texts of its page in memory, and throws `LogDamaged` where they are not JSON.
 */
export function withLazyContent(stored: StoredEvent): LogEvent {
  new LazyContent(stored);
  const event = stored.envelope;
  Object.defineProperty(event, 'data', DATA);
  Object.defineProperty(event, 'meta', META);
  Object.defineProperty(event, inspect.custom, INSPECTION);
  // Cast: it has all properties now.
  return event as LogEvent;
}
