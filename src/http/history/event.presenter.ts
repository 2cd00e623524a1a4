import type { Actor, AppliedFrom, LogEvent } from '../../kernel/event.ts';
import { isSealed } from './sentences/sentence.ts';

/** docs/spec/beyond.md#B2. */
export interface PresentedEvent {
  readonly id: string;
  readonly position: string;
  readonly scope: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly recordedAt: string;
  readonly occurredAt: string;
  readonly actor: { readonly kind: Actor['kind']; readonly id: string; readonly name: string | null; readonly tokenId?: string };
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly commandId: string;
  /** Of an apply of site files. */
  readonly apply?: AppliedFrom;
  readonly summary: string;
  readonly data: unknown;
}

export function presentEvent(event: LogEvent, actorName: string | null, summary: string): PresentedEvent {
  const { actor, correlationId, causationId, commandId, occurredAt, apply } = event.meta;
  return {
    id: event.id,
    position: String(event.n),
    scope: event.scope,
    stream: event.stream,
    revision: event.revision,
    type: event.type,
    version: event.version,
    recordedAt: event.recordedAt,
    occurredAt,
    actor: { kind: actor.kind, id: actor.id, name: actorName, ...(actor.tokenId === undefined ? {} : { tokenId: actor.tokenId }) },
    correlationId,
    causationId,
    commandId,
    ...(apply === undefined ? {} : { apply }),
    summary,
    data: withoutSecrets(event.data),
  };
}

/**
 * The same as a line of JSON, composed of text, which takes two thirds of the time of writing an object. The ids and names of an event hold nothing that JSON escapes (a `CHECK` of
 * the log); what the log has as text, and holds no secret, is not written again: that would be half of the work of a feed.
 */
export function eventLine(event: LogEvent, dataText: string, actorName: string | null, summary: string): string {
  const { n, id, scope, stream, revision, type, version, recordedAt } = event;
  const { actor, correlationId, causationId, commandId, occurredAt, apply } = event.meta;
  return (
    `{"id":"${id}","position":"${String(n)}","scope":"${scope}","stream":"${stream}","revision":${String(revision)},"type":"${type}","version":${String(version)}` +
    `,"recordedAt":"${recordedAt}","occurredAt":${quoted(occurredAt)},"actor":{"kind":"${actor.kind}","id":${quoted(actor.id)},"name":${actorName === null ? 'null' : quoted(actorName)}` +
    `${actor.tokenId === undefined ? '' : `,"tokenId":${quoted(actor.tokenId)}`}},"correlationId":${quoted(correlationId)},"causationId":${causationId === null ? 'null' : quoted(causationId)}` +
    `,"commandId":${quoted(commandId)}${apply === undefined ? '' : `,"apply":${JSON.stringify(apply)}`},"summary":${JSON.stringify(summary)},"data":${dataOf(event.data, dataText)}}\n`
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

/** Replaces sealed values; their ciphertext is in the log's export only. What holds none is not copied: most events, and copying costs as much as sending. */
export function withoutSecrets(value: unknown): unknown {
  if (!holdsSecret(value)) return value;
  if (isSealed(value)) return '(hidden)';
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}

const holdsSecret = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (isSealed(value) || Object.values(value).some(holdsSecret));
