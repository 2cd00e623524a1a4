import { parsedContent, type StoredEvent } from '../platform/event-store/lazy-event.ts';
import type { Actor, EventMeta } from '../kernel/event.ts';

/** What a line of the feed shows of the meta data of an event. */
export interface LineMeta {
  readonly actor: Actor;
  /** As JSON. */
  readonly occurredAt: string;
  /** Its ids and what else the line has of it, as members of a JSON object. */
  readonly members: string;
}

/** As `toNewEvents` writes the meta data of most events. No group holds a character that JSON escapes. */
const PLAIN_META = new RegExp(
  [
    /^\{"actor":\{"kind":"(\w+)","id":"([\w :.-]*)"(?:,"tokenId":"([\w-]+)")?\},/,
    /("correlationId":"[\w-]*","causationId":(?:null|"[\w-]*"),"commandId":"[\w :.-]*"),/,
    /"occurredAt":("[\w:.-]+")(?:,"requestHash":"\w+")?(?:,"traceparent":"[\w-]+")?\}$/,
  ]
    .map(({ source }) => source)
    .join(''),
);

/** Cut out of the text where it is plain, which takes a quarter of the time of parsing it and writing it again. */
export function lineMeta(stored: Pick<StoredEvent, 'envelope' | 'meta'>): LineMeta {
  const [, kind, id, tokenId, members, occurredAt] = PLAIN_META.exec(stored.meta) ?? [];
  if (kind === undefined || id === undefined || members === undefined || occurredAt === undefined) return parsedLineMeta(stored);
  // Cast: the kinds are those of the actors that wrote events.
  return { actor: { kind: kind as Actor['kind'], id, ...(tokenId !== undefined && { tokenId }) }, occurredAt, members };
}

function parsedLineMeta({ envelope, meta }: Pick<StoredEvent, 'envelope' | 'meta'>): LineMeta {
  const { actor, correlationId, causationId, commandId, occurredAt, apply } = parsedContent<EventMeta>(meta, envelope);
  const members = JSON.stringify({ correlationId, causationId, commandId, apply }).slice(1, -1);
  return { actor, occurredAt: JSON.stringify(occurredAt), members };
}
