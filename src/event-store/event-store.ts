import type { NewEvent, StreamEvent } from '../kernel/event.ts';

/** The revision of the last event that the writer knows, or that there is none yet. There is no `any`: a repeat could not be told from a second write. */
export type ExpectedRevision = number | 'no stream';

/** A conflict is an answer, not an exception. Appending what already stands there (same ids, same place) is answered like the first time. */
export type AppendResult =
  | { readonly kind: 'appended'; readonly revision: number; readonly place: AppendPosition }
  | { readonly kind: 'conflict'; readonly actual: ExpectedRevision };

/** The position of the last appended event in the store's own order; opaque to all but the log, which can wait for it (`Log.locate`). */
export interface AppendPosition {
  readonly position: string;
}

export interface ReadOptions {
  /** The first revision to read, included; default: the beginning, or the end when reading backward. */
  readonly from?: number;
  readonly direction?: 'forward' | 'backward';
  readonly limit?: number;
}

/** An event in the order of the whole store. */
export interface FollowedEvent extends StreamEvent {
  readonly position: string;
  /** When the store took it, ISO 8601; may repeat or even step back on a store whose clock did. */
  readonly storedAt: string;
}

export interface EventStore {
  /** At most 1 MiB together and 60 KiB an event (`EventTooLarge`). Throws `StoreUnavailable` when the outcome is unknown: repeat the identical append. */
  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult>;
  /** A stream that does not exist reads as empty. */
  readStream(stream: string, options?: ReadOptions): AsyncIterable<StreamEvent>;
  /** The whole store in its order, strictly after `position` (null: from the beginning), first what is there, then live, until aborted. Reconnects by itself. */
  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]>;
  /** Resolves when the store answers, rejects with the reason when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token. */
export const EVENT_STORE = Symbol('EventStore');
