import type pg from 'pg';
import type { Wake } from '../../postgres/wake.ts';
import type { NewEvent, StreamEvent } from '../../../kernel/event.ts';
import {
  type AppendResult,
  BEGINNING_EVENTS,
  type EventStore,
  type ExpectedRevision,
  type FollowedEvent,
  type ReadAfter,
  type ReadOptions,
  type StreamEnd,
} from '../event-store.ts';
import { serialise } from '../limits.ts';
import { PendingAppend } from './append-batch.ts';
import { GroupCommit } from './group-commit.ts';
import { RecentAppends } from './recent-appends.ts';
import { readStreamEnds } from '../stream-ends.ts';
import { followLogTable, orUnavailable, readStreamAfter, readStreamPages } from './read-events.ts';
import { StreamBeginnings } from './stream-beginnings.ts';

/** Longer than a restart of the database, shorter than an HTTP client's timeout. */
const APPEND_TIMEOUT_MS = 5_000;

/** The embedded engine: the table `log` is the event store. Pool and wake-up belong to the caller. */
export class PostgresEventStore implements EventStore {
  /** For the projection runner of this process. */
  readonly recent = new RecentAppends();
  private readonly commits: GroupCommit;
  private readonly beginnings: StreamBeginnings;

  constructor(
    private readonly pool: pg.Pool,
    private readonly wake: Wake,
    private readonly appendTimeoutMs = APPEND_TIMEOUT_MS,
    /** Appends wait behind no read where they have connections of their own. */
    appendPool = pool,
  ) {
    this.beginnings = new StreamBeginnings(pool);
    this.commits = new GroupCommit(appendPool, this.recent, () => {
      wake.ring('log');
    });
  }

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], signal?: AbortSignal): Promise<AppendResult> {
    const pending = new PendingAppend(stream, expected, serialise(stream, events), performance.now() + this.appendTimeoutMs, signal);
    this.commits.add(pending);
    return pending.answer;
  }

  readStream(stream: string, options: ReadOptions | ReadAfter = {}): AsyncIterable<StreamEvent> {
    if ('after' in options) return readStreamAfter(this.pool, stream, options.after);
    const { from = 0, direction = 'forward', limit = Infinity } = options;
    const isOfBeginning = direction === 'forward' && from === 0 && limit <= BEGINNING_EVENTS;
    return isOfBeginning ? this.readBeginning(stream, limit) : readStreamPages(this.pool, stream, options);
  }

  ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
    return orUnavailable('the ends of streams', () => readStreamEnds(this.pool, streams));
  }

  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]> {
    return followLogTable(this.pool, this.wake, position, signal);
  }

  private async *readBeginning(stream: string, limit: number): AsyncGenerator<StreamEvent> {
    const page = await orUnavailable(stream, () => this.beginnings.read(stream));
    yield* page.slice(0, limit);
  }

  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  async close(): Promise<void> {
    await Promise.resolve();
  }
}
