import type { Actor, AppliedFrom, LogEvent } from '../kernel/event.ts';
import { isSealed } from '../kernel/sentence.ts';

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
  /** Set when an apply of site files caused the event. */
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

/** Replaces sealed values; their ciphertext is in the log's export only. What holds none is not copied: most events, and copying costs as much as sending. */
export function withoutSecrets(value: unknown): unknown {
  if (!holdsSecret(value)) return value;
  if (isSealed(value)) return '(hidden)';
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}

const holdsSecret = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (isSealed(value) || Object.values(value).some(holdsSecret));
