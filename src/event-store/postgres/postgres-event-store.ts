import type pg from 'pg';
import type { Wake } from '../../persistence/wake.ts';
import type { NewEvent, StreamEvent } from '../../kernel/event.ts';
import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadOptions } from '../event-store.ts';
import { serialise } from '../limits.ts';
import { BatchQueue } from './batch-queue.ts';
import { followTable } from './follow.ts';
import { PendingAppend } from './pending-append.ts';
import { sendPersistently } from './persistent-send.ts';
import { readStreamPages } from './read-stream.ts';

/** As long as a restart of the database takes, and shorter than a client waits. */
const PATIENCE_MS = 5_000;

/** The embedded engine: the log's table is the store. The pool is the caller's, as is the wake. */
export class PostgresEventStore implements EventStore {
  private readonly queue: BatchQueue;

  constructor(
    private readonly pool: pg.Pool,
    private readonly wake: Wake,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    this.queue = new BatchQueue(async (batch) => {
      await sendPersistently(pool, batch);
      wake.ring('log');
    });
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const pending = new PendingAppend(stream, expected, serialise(stream, events), performance.now() + this.patienceMs);
    this.queue.add(pending);
    return pending.answer;
  }

  readStream(stream: string, options: ReadOptions = {}): AsyncIterable<StreamEvent> {
    return readStreamPages(this.pool, stream, options);
  }

  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]> {
    return followTable(this.pool, this.wake, position, signal);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    // Nothing of its own to close: pool and wake belong to the process.
    await Promise.resolve();
  }
}
