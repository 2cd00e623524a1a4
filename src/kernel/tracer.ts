import { type TraceContext, traceOf } from './trace-context.ts';
import { chainOf, type LogEvent } from './event.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `server` answers a caller, `client` waits for another service, `producer` hands a message over, `consumer` takes events over. */
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** When null, the span begins a trace. */
  readonly parent: TraceContext | null;
  readonly attributes?: SpanAttributes;
  /** Other traces that the operation belongs to, such as those of the events of a batch. */
  readonly links?: readonly TraceContext[];
}

/** An operation of a trace, from its start to `end`. */
export interface Span {
  /** What the operation leads to continues it; null while nothing is traced. */
  readonly context: TraceContext | null;
  /** Replaces the name, where it is only known at the end. */
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** `error`: the operation failed. */
  end(error?: unknown): void;
}

/** Port to a collector of traces. Names and attributes hold no names of people, no addresses and no secrets. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span;
}

const noSpan: Span = { context: null, rename: () => undefined, set: () => undefined, end: () => undefined };

/** Traces nothing: the default. */
export const noTracer: Tracer = { start: () => noSpan };

/** Injection token. */
export const TRACER = Symbol('Tracer');

/** Ends the span with the work. */
export async function endWith<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** A span around `work`. */
export function traced<T>(tracer: Tracer, name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  const span = tracer.start(name, options);
  return endWith(span, work(span));
}

/** A batch of a first fill has events of a thousand traces. */
const MAX_LINKS = 32;

/** The span of a batch of events: a child in the trace of its first event, linked to the traces of the others. */
export function startBatch(tracer: Tracer, name: string, events: readonly LogEvent[], attributes: SpanAttributes = {}): Span {
  const [parent = null, ...links] = tracer === noTracer ? [] : tracesOf(events);
  return tracer.start(name, { kind: 'consumer', parent, links, attributes: { ...attributes, 'watchledger.events.count': events.length } });
}

function tracesOf(events: readonly LogEvent[]): readonly TraceContext[] {
  const traces = new Map<string, TraceContext>();
  for (const { id, meta } of events) {
    if (traces.size > MAX_LINKS) break;
    const trace = traceOf(chainOf(id, meta));
    if (!traces.has(trace.traceId)) traces.set(trace.traceId, trace);
  }
  return [...traces.values()];
}
