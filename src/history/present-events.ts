import { type EventEnvelope, parsedContent, type StoredEvent } from '../platform/event-store/lazy-event.ts';
import type { Actor, EventMeta, LogEvent } from '../kernel/event.ts';
import { withoutSecrets, type PresentedEvent, presentEvent } from './event.presenter.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KnownNames, NamesReader, NamingEvent, ReadNames } from './names-reader.ts';
import { type SentenceEvent, summaryOf } from './summary.ts';

/** What a line of the feed shows of the meta data of an event. */
interface LineMeta {
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
function lineMeta(stored: Pick<StoredEvent, 'envelope' | 'meta'>): LineMeta {
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

/** An event of a feed, with its data also as the log has it. */
interface LineEvent extends Pick<LogEvent, 'type' | 'version' | 'scope' | 'data'> {
  readonly envelope: EventEnvelope;
  readonly dataText: string;
  readonly meta: LineMeta;
}

export const lineEvent = (stored: StoredEvent): LineEvent => ({
  envelope: stored.envelope,
  type: stored.envelope.type,
  version: stored.envelope.version,
  scope: stored.envelope.scope,
  data: parsedContent(stored.data, stored.envelope),
  dataText: stored.data,
  meta: lineMeta(stored),
});

/**
 * What `presentEvent` presents, as a line of JSON: composed of text, which takes two thirds of the time of writing an object. The ids and names of an event hold nothing that JSON escapes (a `CHECK` of
 * the log); what the log has as text, and holds no secret, is not written again: that would be half of the work of a feed.
 */
export function eventLine({ envelope, data, dataText, meta }: LineEvent, actorName: string | null, summary: string): string {
  const { n, id, scope, stream, revision, type, version, recordedAt } = envelope;
  const { actor, occurredAt, members } = meta;
  return (
    `{"id":"${id}","position":"${String(n)}","scope":"${scope}","stream":"${stream}","revision":${String(revision)},"type":"${type}","version":${String(version)}` +
    `,"recordedAt":"${recordedAt}","occurredAt":${occurredAt},"actor":{"kind":"${actor.kind}","id":${quoted(actor.id)},"name":${actorName === null ? 'null' : quoted(actorName)}` +
    `${actor.tokenId === undefined ? '' : `,"tokenId":${quoted(actor.tokenId)}`}},${members},"summary":${JSON.stringify(summary)},"data":${dataOf(data, dataText)}}\n`
  );
}

const PLAIN = /^[\w :.-]*$/;

const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

function dataOf(data: object, text: string): string {
  if (!mayHoldSecret(text)) return text;
  const shown = withoutSecrets(data);
  return shown === data ? text : JSON.stringify(shown);
}

/** By its text, which is faster than a walk through its values: the key of a sealed value, or an escape that may be a part of it. Without its first quote, which is frequent and would slow the search down. */
const mayHoldSecret = (text: string): boolean => text.includes('sealed"') || text.includes('\\u');

/** Presented in one turn of the event loop, so that others are answered in between. */
const PIECE = 200;

/** Characters per chunk: the allocator requests memory for larger ones from the system each time, which takes longer than encoding them. */
const CHUNK = 32_768;

/** Events as readers see them, with today's names, in pieces that a caller may send one by one. */
export async function* presentedPieces(reader: NamesReader, events: readonly LogEvent[]): AsyncGenerator<readonly PresentedEvent[]> {
  if (events.length === 0) return;
  const names = await reader.read(events);
  for await (const piece of inPieces(events)) yield piece.map((event) => presentEvent(event, ...wordsOf(event, names)));
}

export async function presentEvents(reader: NamesReader, events: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
  const presented: PresentedEvent[] = [];
  for await (const piece of presentedPieces(reader, events)) presented.push(...piece);
  return presented;
}

/** The same as lines of JSON. Each piece is parsed just before it is written, so that little of a batch is alive when garbage is collected. */
export async function* eventLines(reader: NamesReader, batch: readonly StoredEvent[], known: KnownNames): AsyncGenerator<string> {
  for await (const piece of inPieces(batch)) {
    const events = piece.map(lineEvent);
    const names = await reader.read(events, known);
    let lines = '';
    for (const event of events) {
      lines += eventLine(event, ...wordsOf(event, names));
      if (lines.length < CHUNK) continue;
      yield lines;
      lines = '';
    }
    if (lines !== '') yield lines;
  }
}

const wordsOf = (event: NamingEvent & SentenceEvent, names: ReadNames): [actorName: string | null, summary: string] => [
  names.actor(event),
  summaryOf(event, names),
];

async function* inPieces<Item>(all: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < all.length; from += PIECE) {
    if (from > 0) await nextTurn();
    yield all.slice(from, from + PIECE);
  }
}
