import { LogDamaged } from '../lazy-event.ts';
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
import { readStreamEnds, readStreamRows } from '../log-rows.ts';
import { followLogTable, orUnavailable, readStreamAfter, readStreamPages } from './read-events.ts';
import { BatchedLookup } from '../../postgres/batched-lookup.ts';

/** In one statement; each may hold events of the largest size. */
const STREAMS_AT_ONCE = 16;

const ROWS = `SELECT l.* FROM unnest($1::text[]) AS wanted (stream)
  CROSS JOIN LATERAL (SELECT * FROM log WHERE stream = wanted.stream ORDER BY revision LIMIT ${String(BEGINNING_EVENTS)}) AS l`;

/**
 * The first events of streams, in one statement for those that are asked for in one turn of the event loop: a process that has just started reads the streams
 * of thousands of sites, each once.
 */
export class StreamBeginnings {
  private readonly lookup = new BatchedLookup<Promise<readonly StreamEvent[]>>((streams) => Promise.resolve(this.readAll(streams)));

  constructor(private readonly pool: pg.Pool) {}

  async read(stream: string): Promise<readonly StreamEvent[]> {
    return (await this.lookup.load(stream)) ?? [];
  }

  private readAll(streams: readonly string[]): ReadonlyMap<string, Promise<readonly StreamEvent[]>> {
    const pages = new Map<string, Promise<readonly StreamEvent[]>>();
    for (let from = 0; from < streams.length; from += STREAMS_AT_ONCE) {
      const some = streams.slice(from, from + STREAMS_AT_ONCE);
      const reading = this.readSome(some);
      for (const stream of some) pages.set(stream, this.pageOf(stream, reading));
    }
    return pages;
  }

  private async pageOf(stream: string, reading: Promise<ReadonlyMap<string, readonly StreamEvent[]>>): Promise<readonly StreamEvent[]> {
    try {
      return (await reading).get(stream) ?? [];
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      // Only the readers of the damaged stream fail.
      return (await this.readSome([stream])).get(stream) ?? [];
    }
  }

  private async readSome(streams: readonly string[]): Promise<ReadonlyMap<string, readonly StreamEvent[]>> {
    const events = await readStreamRows(this.pool, { name: 'read_beginnings', rows: ROWS, values: [streams] });
    return new Map(streams.map((stream) => [stream, events.filter((event) => event.stream === stream)]));
  }
}

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
