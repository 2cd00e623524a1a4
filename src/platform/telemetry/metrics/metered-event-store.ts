import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  FollowedEvent,
  ReadAfter,
  ReadOptions,
  StreamEnd,
} from '../../event-store/event-store.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import type { NewEvent, StreamEvent } from '../../../kernel/event.ts';
import { parseTraceparent } from '../../../kernel/trace-context.ts';
import { noTracer, type SpanOptions, type Tracer } from '../../../kernel/tracer.ts';
import type { Outages } from '../health/outages.ts';
import type { WriteHealth } from '../health/write-health.ts';
import type { Metrics } from './metrics.ts';

/** The events state the trace that they are appended in, and the causal ids by which their chain is found. */
function appended(stream: string, events: readonly NewEvent[]): Pick<SpanOptions, 'parent' | 'attributes'> {
  const [first] = events;
  const counted = { 'watchledger.stream': stream, 'watchledger.events.count': events.length };
  if (first === undefined) return { parent: null, attributes: counted };
  const { traceparent, correlationId } = first.meta;
  return {
    parent: parseTraceparent(traceparent),
    attributes: { ...counted, 'watchledger.event.id': first.id, 'watchledger.correlation.id': correlationId },
  };
}

const isOutage = (error: unknown): boolean => error instanceof StoreUnavailable;

/** Decorates an event store: counts and times its appends, and reports those that the storage refused. */
export class MeteredEventStore implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly metrics: Metrics,
    private readonly writeHealth: WriteHealth,
    private readonly outages: Outages,
    private readonly tracer: Tracer = noTracer,
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[], signal?: AbortSignal): Promise<AppendResult> {
    const done = this.metrics.appends.startTimer();
    const span = this.tracer.start('append', { kind: 'client', ...appended(stream, events) });
    try {
      const result = await this.writeHealth.observe(() => this.store.append(stream, expected, events, signal), isOutage);
      done({ outcome: result.kind });
      span.set({ 'watchledger.outcome': result.kind });
      span.end();
      if (result.kind === 'appended') this.metrics.appended.inc(events.length);
      return result;
    } catch (error) {
      done({ outcome: 'failed' });
      span.end(error);
      if (isOutage(error)) this.outages.report(error);
      throw error;
    }
  }

  readStream(stream: string, options?: ReadOptions | ReadAfter): AsyncIterable<StreamEvent> {
    return this.store.readStream(stream, options);
  }

  ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
    return this.store.ends(streams);
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
