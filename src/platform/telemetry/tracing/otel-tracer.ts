import {
  type Context,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer as Recorder,
} from '@opentelemetry/api';
import type { TraceContext } from '../../../kernel/trace-context.ts';
import type { Span, SpanAttributes, SpanOptions, Tracer } from '../../../kernel/tracer.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** Adapts a tracer of OpenTelemetry. Contexts are passed on explicitly: nothing of its API is registered globally. */
export class OtelTracer implements Tracer {
  constructor(private readonly recorder: Recorder) {}

  start(name: string, { kind, parent, attributes, links }: SpanOptions): Span {
    const options = {
      kind: KINDS[kind],
      ...(attributes && { attributes: { ...attributes } }),
      ...(links && { links: links.map((link) => ({ context: spanContextOf(link) })) }),
    };
    return new RecordedSpan(this.recorder.startSpan(name, options, contextOf(parent)));
  }
}

class RecordedSpan implements Span {
  readonly context: TraceContext;

  constructor(private readonly span: OtelSpan) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.context = { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes({ ...attributes });
  }

  /** Records only the kind of an error: its text may name people or addresses. */
  end(error?: unknown): void {
    if (error !== undefined) {
      this.span.setStatus({ code: SpanStatusCode.ERROR });
      this.span.setAttribute('error.type', kindOf(error));
    }
    this.span.end();
  }
}

const contextOf = (parent: TraceContext | null): Context =>
  parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));

const spanContextOf = ({ traceId, spanId, sampled }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
});

function kindOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'error';
}
