import type { AppendResult, EventStore, ExpectedRevision, FollowedEvent, ReadOptions } from '../../event-store/event-store.ts';
import type { NewEvent, StreamEvent } from '../../kernel/event.ts';
import type { Metrics } from './metrics.ts';

/** Decorates an event store: counts and times its appends. */
export class MeteredEventStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly metrics: Metrics,
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const done = this.metrics.appends.startTimer();
    try {
      const result = await this.store.append(stream, expected, events);
      done({ outcome: result.kind });
      if (result.kind === 'appended') this.metrics.appended.inc(events.length);
      return result;
    } catch (error) {
      done({ outcome: 'failed' });
      throw error;
    }
  }

  readStream(stream: string, options?: ReadOptions): AsyncIterable<StreamEvent> {
    return this.store.readStream(stream, options);
  }

  follow(position: string | null, signal: AbortSignal): AsyncIterable<readonly FollowedEvent[]> {
    return this.store.follow(position, signal);
  }

  ping(): Promise<void> {
    return this.store.ping();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
