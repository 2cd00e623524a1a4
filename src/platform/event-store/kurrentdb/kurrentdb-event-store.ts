import { isDeepStrictEqual } from 'node:util';
import type { NewEvent, StreamEvent } from '../../../kernel/event.ts';
import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadAfter, ReadOptions, StreamEnd } from '../event-store.ts';
import { append } from './append.ts';
import { AddressRefused, Connection } from './connection.ts';
import { follow } from './follow.ts';
import { eventAt, newestEvent } from './read-all.ts';
import { DEFAULT_TIMEOUTS, type KurrentDbTimeouts, withTimeout } from './timeouts.ts';
import { formatPosition, parsePosition } from './event-mapping.ts';
import type { MirroredStreams } from './mirrored-streams.ts';
import { readStream } from './read-stream.ts';

/** Counters since the start, for operators. */
export interface KurrentDbCounters {
  /** Events of other applications in the same server, seen while following or reading. */
  foreign: number;
  /** Subscriptions that failed, ended or fell silent and were reopened. */
  interruptions: number;
  lastInterruption: string | null;
}

/** The event store on EventStoreDB or KurrentDB, over gRPC. Positions sort as text. */
export class KurrentDbEventStore implements EventStore {
  readonly counters: KurrentDbCounters = { foreign: 0, interruptions: 0, lastInterruption: null };
  private readonly connection: Connection;
  private readonly timeouts: KurrentDbTimeouts;

  /** Without a mirror, what was stored after a position is searched for in the whole stream, and the end of each stream is read. */
  constructor(
    url: string,
    timeouts: Partial<KurrentDbTimeouts> = {},
    private readonly mirrored: MirroredStreams | null = null,
  ) {
    this.connection = new Connection(url);
    this.timeouts = { ...DEFAULT_TIMEOUTS, ...timeouts };
  }

  /** Checks the URL only; the server is not contacted. */
  async open(): Promise<void> {
    try {
      await this.connection.open();
    } catch (error) {
      throw new AddressRefused(error);
    }
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], signal?: AbortSignal): Promise<AppendResult> {
    return append(this.connection, this.timeouts, stream, expected, events, signal);
  }

  readStream(stream: string, options: ReadOptions | ReadAfter = {}): AsyncIterable<StreamEvent> {
    return 'after' in options ? this.readAfter(stream, options.after) : this.read(stream, options);
  }

  async ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
    if (this.mirrored !== null) return this.mirrored.ends(streams);
    const ends = new Map<string, StreamEnd>();
    for (const stream of streams)
      for await (const { revision, id } of this.read(stream, { direction: 'backward', limit: 1 })) ends.set(stream, { revision, id });
    return ends;
  }

  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]> {
    const onInterrupted = (reason: unknown): void => {
      this.counters.interruptions += 1;
      this.counters.lastInterruption = reason instanceof Error ? reason.message : String(reason);
    };
    return follow(this.connection, this.timeouts, position, signal, { onForeign: this.onForeign, onInterrupted });
  }

  /** The id of the event at exactly this position, null when the server has none there. */
  async idAt(position: string): Promise<string | null> {
    const session = await withTimeout(this.timeouts.attemptMs, this.connection.open());
    return (await eventAt(session, this.timeouts, parsePosition(position)))?.id ?? null;
  }

  /** The position of the newest event that is not the server's own; null while there is none. */
  async headPosition(): Promise<string | null> {
    const session = await withTimeout(this.timeouts.attemptMs, this.connection.open());
    const newest = await newestEvent(session, this.timeouts);
    return newest && formatPosition(newest.position);
  }

  async ping(): Promise<void> {
    await this.headPosition();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private read(stream: string, options: ReadOptions): AsyncGenerator<StreamEvent> {
    return readStream(this.connection, this.timeouts, stream, options, this.onForeign);
  }

  /** From the event that the mirror holds last at the position, provided that the store still has it there: a failover may have replaced it. */
  private async *readAfter(stream: string, after: string): AsyncGenerator<StreamEvent> {
    const last = (await this.mirrored?.lastUntil(stream, after)) ?? null;
    let isFound = false;
    if (last !== null)
      for await (const event of this.read(stream, { from: last.revision })) {
        if (isFound) yield event;
        else if (isDeepStrictEqual(event, last)) isFound = true;
        else break;
      }
    if (!isFound) yield* this.read(stream, {});
  }

  private readonly onForeign = (): void => {
    this.counters.foreign += 1;
  };
}
