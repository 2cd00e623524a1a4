import { DomainError } from '../kernel/errors.ts';
import type { LogEvent } from '../kernel/event.ts';

export interface LogQuery {
  /** Strictly after this `n`; -1 reads from the beginning. */
  readonly after: number;
  /** Up to this `n`, included. */
  readonly until?: number;
  readonly scope?: string;
  readonly limit: number;
}

/** The one order that everything downstream reads, the same on every engine. */
export interface Log {
  read(query: LogQuery): Promise<readonly LogEvent[]>;
  /** The `n` of the last event, -1 while there is none. */
  head(): Promise<number>;
  /** The last `n` that was recorded at or before the instant (ISO 8601), -1 when there was none yet. */
  at(instant: string): Promise<number>;
  /** The events of the whole log strictly after `after`, in batches, then live until aborted. */
  follow(after: number, signal: AbortSignal, batch?: number): AsyncIterable<readonly LogEvent[]>;
  /** Resolves with true when something may have been added after `after`, false after the time; wakes early on the postgres engine, by polling elsewhere. */
  waitBeyond(after: number, milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  /** The `n` of an appended place, once the log has it: at once on the postgres engine, after mirroring on KurrentDB. `deadline`: milliseconds since the epoch; then `NotInLogYet`. */
  locate(position: string, deadline: number): Promise<number>;
}

/** Appended, but not in the log in time: what a reader of his own write waits for in vain. It will be. */
export class NotInLogYet extends DomainError {
  readonly code = 'NOT_VISIBLE_YET';
}

/** The log holds another event at a position that was already read: its database lost its latest commits, as in a failover, and continued from there. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
}

/** Injection token. */
export const LOG = Symbol('Log');
