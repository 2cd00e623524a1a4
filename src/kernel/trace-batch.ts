import { chainOf, type LogEvent } from './event.ts';
import { traceOf, type TraceContext } from './trace-context.ts';
import { noTracer, type Span, type SpanAttributes, type Tracer } from './tracer.ts';

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
