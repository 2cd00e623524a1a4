import { DomainError } from '../../kernel/errors.ts';
import type { LogEvent } from '../../kernel/event.ts';

export interface LogQuery {
  /** Strictly after this `n`; -1 reads from the beginning. */
  readonly after: number;
  /** Up to this `n`, inclusive. */
  readonly until?: number;
  readonly scope?: string;
  readonly limit: number;
  /** Requires `scope`: only events of these types, found by an index, so that the others cost nothing. */
  readonly types?: readonly string[];
  /** Ends a page of a scope early, after the event that reaches this many bytes of data: parsing a page occupies the shared thread. */
  readonly bytes?: number;
  /** The content of an event is parsed at its first access: for a reader that needs part of it, and keeps no event, as each holds the texts of its page. */
  readonly isLazy?: boolean;
}

/** The total order of all events, which everything downstream reads; the same on every engine. */
export abstract class Log {
  abstract read(query: LogQuery): Promise<readonly LogEvent[]>;
  /** The `n` of the last event, -1 while there is none. */
  abstract head(): Promise<number>;
  /** The last `n` that was recorded at or before the instant (ISO 8601), -1 when there was none yet. */
  abstract at(instant: string): Promise<number>;
  /** Catch-up subscription: all events strictly after `after`, in batches, then live until aborted. */
  abstract follow(after: number, signal: AbortSignal, batch?: number): AsyncIterable<readonly LogEvent[]>;
  /** Resolves with true once the log reaches beyond `after`, with false after the timeout. */
  abstract waitBeyond(after: number, milliseconds: number, signal?: AbortSignal): Promise<boolean>;
  /** The `n` at an append's position, once the log has it: at once on Postgres, after mirroring on KurrentDB. Throws `NotInLogYet` after `deadline` (epoch ms). */
  abstract locate(position: string, deadline: number): Promise<number>;
}

/** What a runner of a projection needs of it. */
export type LogReader = Pick<Log, 'read' | 'head'>;

/** The latest events that this process appended to the log, for its one projection runner. */
export interface OwnAppends {
  /** The events right after `n`, without gaps; none where they have to be read from the log. */
  after(n: number): readonly LogEvent[];
  clear(): void;
}

/** The append is committed but not mirrored in time for a read of one's own write. */
export class NotInLogYet extends DomainError {
  readonly code = 'NOT_VISIBLE_YET';
}

/** The log holds another event at a position that was already read: its database lost its latest commits, as in a failover, and continued from there. */
export class LogReplaced extends Error {
  override readonly name = 'LogReplaced';
}
