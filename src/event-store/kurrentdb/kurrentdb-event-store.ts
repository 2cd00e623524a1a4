import type { NewEvent, StreamEvent } from '../../kernel/event.ts';
import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadOptions } from '../event-store.ts';
import { append } from './append.ts';
import { AddressRefused, Connection } from './connection.ts';
import { follow } from './follow.ts';
import { eventAt, newestEvent } from './head.ts';
import { DEFAULT_PATIENCE, type Patience } from './options.ts';
import { within } from './patience.ts';
import { formatPosition, parsePosition } from './positions.ts';
import { readStream } from './read-stream.ts';

/** What an operator may want to know about the connection; counted since the start. */
export interface KurrentDbCounters {
  /** Events in the same server that are not ours, seen while following or reading. */
  foreign: number;
  /** Subscriptions that broke, ended or fell silent and were opened again. */
  interruptions: number;
  lastInterruption: string | null;
}

/** The event store on EventStoreDB or KurrentDB, over its gRPC protocol. Positions compare as text. */
export class KurrentDbEventStore implements EventStore {
  readonly counters: KurrentDbCounters = { foreign: 0, interruptions: 0, lastInterruption: null };
  private readonly connection: Connection;
  private readonly patience: Patience;

  constructor(url: string, patience: Partial<Patience> = {}) {
    this.connection = new Connection(url);
    this.patience = { ...DEFAULT_PATIENCE, ...patience };
  }

  /** What its address says can be used: nobody is asked yet. */
  async open(): Promise<void> {
    try {
      await this.connection.open();
    } catch (error) {
      throw new AddressRefused(error);
    }
  }

  append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    return append(this.connection, this.patience, stream, expected, events);
  }

  readStream(stream: string, options: ReadOptions = {}): AsyncIterable<StreamEvent> {
    return readStream(this.connection, this.patience, stream, options, this.onForeign);
  }

  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]> {
    const onInterrupted = (reason: unknown): void => {
      this.counters.interruptions += 1;
      this.counters.lastInterruption = reason instanceof Error ? reason.message : String(reason);
    };
    return follow(this.connection, this.patience, position, signal, { onForeign: this.onForeign, onInterrupted });
  }

  /** The id of the event at exactly this position, null when the server has none there. */
  async idAt(position: string): Promise<string | null> {
    const session = await within(this.patience.attemptMs, this.connection.open());
    return (await eventAt(session, this.patience, parsePosition(position)))?.id ?? null;
  }

  /** The position of the newest event that is not the server's own; null while there is none. */
  async headPosition(): Promise<string | null> {
    const session = await within(this.patience.attemptMs, this.connection.open());
    const newest = await newestEvent(session, this.patience);
    return newest && formatPosition(newest.position);
  }

  async ping(): Promise<void> {
    await this.headPosition();
  }

  close(): Promise<void> {
    return this.connection.close();
  }

  private readonly onForeign = (): void => {
    this.counters.foreign += 1;
  };
}
