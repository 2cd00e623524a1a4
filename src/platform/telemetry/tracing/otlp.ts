import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Registry } from 'prom-client';
import { pause } from '../../../kernel/abortable.ts';
import { Throttle } from '../../../kernel/throttle.ts';
import { noTracer, type Tracer } from '../../../kernel/tracer.ts';
import type { OtlpConfig } from '../../config/otlp.ts';
import { OtelTracer } from './otel-tracer.ts';
import { RegistryProducer } from './registry-producer.ts';

/** The part of the time of a stop that the last spans and metrics may take. */
const FLUSH_MS = 2_000;
const LOG_EVERY_MS = 60_000;

export interface OtlpOptions {
  readonly config: OtlpConfig;
  readonly version: string;
  /** The metrics of /metrics. */
  readonly registry: Registry;
  /** Called at most once a minute. */
  readonly onFailed: (reason: string) => void;
}

export interface Telemetry {
  readonly tracer: Tracer;
  /** Sends what is left, within a bounded time. */
  close(): Promise<void>;
}

/**
 * Sends spans and metrics to an OTLP receiver. Spans wait in a bounded queue (`OTEL_BSP_MAX_QUEUE_SIZE`) and are dropped beyond it, so that a receiver
 * that is away costs neither time nor memory.
 */
export function openTelemetry({ config, version, registry, onFailed }: OtlpOptions): Telemetry {
  // The SDK reads the environment of the process, which does not have what stands in `.env`.
  for (const [name, value] of Object.entries(config.variables)) process.env[name] ??= value;
  logFailures(onFailed);
  const resource = resourceFromAttributes({ 'service.name': 'watchledger', 'service.version': version }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  const traces = config.traces ? tracesTo(resource) : null;
  const meters = config.metrics ? metricsTo(resource, registry, config.metricIntervalMs) : null;
  return {
    tracer: traces === null ? noTracer : new OtelTracer(traces.getTracer('watchledger', version)),
    close: async () => {
      const flushed = Promise.allSettled([traces?.shutdown(), meters?.shutdown()]);
      const timeout = new AbortController();
      await Promise.race([flushed, pause(FLUSH_MS, timeout.signal)]);
      timeout.abort();
    },
  };
}

/** Sampler, limits and queue as `OTEL_TRACES_SAMPLER`, `OTEL_SPAN_*` and `OTEL_BSP_*` say. */
const tracesTo = (resource: Resource): BasicTracerProvider =>
  new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] });

const metricsTo = (resource: Resource, registry: Registry, exportIntervalMillis: number): MeterProvider => {
  const exportTimeoutMillis = Math.min(exportIntervalMillis, 10_000);
  const producer = new RegistryProducer(registry, resource);
  const options = { exporter: new OTLPMetricExporter(), exportIntervalMillis, exportTimeoutMillis, metricProducers: [producer] };
  return new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader(options)] });
};

function logFailures(onFailed: (reason: string) => void): void {
  const throttle = new Throttle<'failed'>(LOG_EVERY_MS);
  const failed = (reason: string): void => {
    if (throttle.pass('failed') !== null) onFailed(reason.slice(0, 300));
  };
  const ignored = (): void => undefined;
  diag.setLogger({ error: failed, warn: failed, info: ignored, debug: ignored, verbose: ignored }, DiagLogLevel.WARN);
}
