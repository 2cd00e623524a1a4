/** The author of an event. `id`: the user id as a string for a user or token, the id of a service account, otherwise the name of the part of the service. */
export interface Actor {
  readonly kind: 'user' | 'token' | 'service' | 'checker' | 'scheduler' | 'reactor' | 'cli';
  readonly id: string;
  readonly tokenId?: string;
  /** The name of a service account at that time. */
  readonly name?: string;
}

/** The event of a decision, before it has an id and a place in a stream. */
export interface EventBody<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

/** The events of a noun, by type, as one union. */
export type EventOf<Events extends object> = { [Type in keyof Events & string]: EventBody<Type, Events[Type] & object> }[keyof Events &
  string];

export interface EventMeta {
  readonly actor: Actor;
  /** The id of the first event of the chain. */
  readonly correlationId: string;
  /** The id of the event that caused this one; null at the root of a chain. */
  readonly causationId: string | null;
  readonly commandId: string;
  /** When it happened (ISO 8601, UTC); the log adds `recordedAt`. */
  readonly occurredAt: string;
  /** SHA-256 of the request behind the command; reuse of a `commandId` with another request is refused. */
  readonly requestHash?: string;
  /** W3C Trace Context of the operation that appended it; without it the trace is derived from the correlation id (docs/decisions/telemetry.md). */
  readonly traceparent?: string;
  /** Present when an apply of site files caused the event. */
  readonly apply?: AppliedFrom;
}

/** What an apply of site files says about its events (docs/spec/beyond.md#B10). */
export interface AppliedFrom {
  /** Names the plan that was carried out. */
  readonly plan: string;
  readonly commit?: string;
  readonly files: readonly string[];
}

/** The position of a command in a chain of cause and effect: its root event and the event that it follows from. */
export interface EventChain {
  readonly correlationId: string;
  readonly causationId: string;
  /** The trace of the event that it follows from. */
  readonly traceparent?: string;
}

/** The chain of what follows from an event; null for an event that was not read from a log. */
export const chainAfter = ({ id, meta }: { readonly id?: string; readonly meta?: EventMeta }): EventChain | null =>
  id === undefined || meta === undefined ? null : chainOf(id, meta);

/** The chain of what follows from the event with this id. */
export const chainOf = (
  id: string,
  { correlationId, traceparent }: { readonly correlationId: string; readonly traceparent?: string | null },
): EventChain => ({ correlationId, causationId: id, ...(typeof traceparent === 'string' && { traceparent }) });

/** An event to be appended. `scope` names the project or account that it belongs to: `project-<id>`, `account-<id>`, `system`. */
export interface NewEvent<Type extends string = string, Data extends object = object> extends EventBody<Type, Data> {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
  readonly meta: EventMeta;
}

/** An event of a stream. Revisions count from 0 without gaps. */
export interface StreamEvent<Type extends string = string, Data extends object = object> extends NewEvent<Type, Data> {
  readonly stream: string;
  readonly revision: number;
}

/** An event of the log. `n` counts from 0 over the whole log without gaps; `recordedAt` (ISO 8601 with microseconds) strictly grows with it. */
export interface LogEvent<Type extends string = string, Data extends object = object> extends StreamEvent<Type, Data> {
  readonly n: number;
  readonly recordedAt: string;
}

/** A personal or secret value, encrypted with the key of its subject; the same value of one subject seals to the same text, so deciders compare it. */
export interface Sealed {
  readonly subject: string;
  readonly sealed: string;
}
