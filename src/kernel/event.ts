/** Who did it. `id` of a user, or of a user's token, is the user id as a string; of a part of the service its name. */
export interface Actor {
  readonly kind: 'user' | 'token' | 'checker' | 'scheduler' | 'reactor' | 'cli';
  readonly id: string;
  readonly tokenId?: string;
}

/** The event of a decision, before it has an id and a place in a stream. */
export interface EventBody<Type extends string = string, Data extends object = object> {
  readonly type: Type;
  readonly data: Data;
}

export interface EventMeta {
  readonly actor: Actor;
  /** The id of the first event of the chain that this one belongs to. */
  readonly correlationId: string;
  /** The id of the event that led to this one; null at a root. */
  readonly causationId: string | null;
  readonly commandId: string;
  /** When it happened (ISO 8601, UTC); the log adds when it took it. */
  readonly occurredAt: string;
  /** SHA-256 of the request behind the command: the same `commandId` with another one is a misuse. */
  readonly requestHash?: string;
}

/** The position of a command in a chain of cause and effect: its root event and the event that it follows from. */
export interface EventChain {
  readonly correlationId: string;
  readonly causationId: string;
}

/** The chain of what follows from an event; null for an event that was not read from a log. */
export const chainAfter = ({ id, meta }: { readonly id?: string; readonly meta?: EventMeta }): EventChain | null =>
  id === undefined || meta === undefined ? null : { correlationId: meta.correlationId, causationId: id };

/** An event on its way into a stream. `scope` names the project or account that it belongs to: `project-<id>`, `account-<id>`, `system`. */
export interface NewEvent<Type extends string = string, Data extends object = object> extends EventBody<Type, Data> {
  readonly id: string;
  readonly version: number;
  readonly scope: string;
  readonly meta: EventMeta;
}

/** An event as its stream holds it. Revisions count from 0 without gaps. */
export interface StreamEvent<Type extends string = string, Data extends object = object> extends NewEvent<Type, Data> {
  readonly stream: string;
  readonly revision: number;
}

/** An event as the log holds it. `n` counts from 0 over the whole log without gaps; `recordedAt` (ISO 8601 with microseconds) strictly grows with it. */
export interface LogEvent<Type extends string = string, Data extends object = object> extends StreamEvent<Type, Data> {
  readonly n: number;
  readonly recordedAt: string;
}

/** A personal or secret value, encrypted with the key of its subject; the same value of one subject seals to the same text, so deciders compare it. */
export interface Sealed {
  readonly subject: string;
  readonly sealed: string;
}
