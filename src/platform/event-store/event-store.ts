import type { NewEvent, StreamEvent } from '../../kernel/event.ts';

/** Optimistic concurrency: the last revision that the writer knows. There is no `any`, because a retry could not be distinguished from a second write. */
export type ExpectedRevision = number | 'no stream';

/** A conflict is a value, not an exception. An append is idempotent: the same ids at the same revisions get the first answer again. */
export type AppendResult =
  | { readonly kind: 'appended'; readonly revision: number; readonly place: AppendPosition }
  | { readonly kind: 'conflict'; readonly actual: ExpectedRevision };

/** The position of the last appended event in the store's own order; opaque to all but the log, which can wait for it (`Log.locate`). */
export interface AppendPosition {
  readonly position: string;
}

export interface ReadOptions {
  /** The first revision to read, inclusive; default: the start of the stream, or its end when reading backward. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  readonly limit?: number;
}

/** How many events a reader asks for that meets a stream for the first time: an engine may read them together with the beginnings of other streams. */
export const BEGINNING_EVENTS = 100;

/** Reads only what may have been stored after a position, forward. An engine that does not find it in a stream reads the stream from its start. */
export interface ReadAfter {
  readonly after: string;
}

/** An event of a subscription to the whole store. */
export interface FollowedEvent extends StreamEvent {
  readonly position: string;
  /** Commit time by the store's clock, ISO 8601; may repeat or step back. */
  readonly storedAt: string;
}

/** The last event of a stream. */
export interface StreamEnd {
  readonly revision: number;
  readonly id: string;
}

export interface EventStore {
  /**
   * Transactional append: all events or none. At most 1 MiB in total and 60 KiB per event (`EventTooLarge`). Throws `StoreUnavailable` when the outcome
   * is unknown: retry the identical append. Once the signal aborts, no further attempt is begun.
   */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], signal?: AbortSignal): Promise<AppendResult>;
  /** A stream that does not exist reads as empty. */
  readStream(stream: string, options?: ReadOptions | ReadAfter): AsyncIterable<StreamEvent>;
  /**
   * The ends of many streams at once; a stream that does not exist is left out. A store that is mirrored may answer as its mirror holds it, a moment late:
   * enough to see which streams have to be read, not to refuse anything.
   */
  ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>>;
  /** Catch-up subscription to the whole store, strictly after `position` (null for the start), until aborted. Reconnects by itself. */
  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]>;
  /** Resolves when the store answers, rejects with the reason when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token. */
export const EVENT_STORE = Symbol('EventStore');
