import { parseInteger, parseOneOf, parseText, parseUrl } from './values.ts';
import type { VariableReader } from './variable-reader.ts';

/** Export of traces and metrics by OTLP. */
export interface OtlpConfig {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly metricIntervalMs: number;
  /** Every variable whose name begins with `OTEL_`, from the environment and `.env`: the SDK reads them by itself. */
  readonly variables: Readonly<Record<string, string>>;
}

const PREFIX = 'OTEL_';
const SAMPLERS = ['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'];

/** Undefined without an endpoint. What the SDK would only ignore with a warning is refused here. */
export function readOtlp(read: VariableReader): OtlpConfig | undefined {
  const endpoint = read.optional('OTEL_EXPORTER_OTLP_ENDPOINT', parseUrl('http:', 'https:'));
  const exporter = parseOneOf(['otlp', 'none']);
  const traces = read.value('OTEL_TRACES_EXPORTER', exporter, 'otlp') === 'otlp';
  const metrics = read.value('OTEL_METRICS_EXPORTER', exporter, 'otlp') === 'otlp';
  const metricIntervalMs = read.value('OTEL_METRIC_EXPORT_INTERVAL', parseInteger(1_000, 3_600_000), 60_000);
  read.optional('OTEL_EXPORTER_OTLP_PROTOCOL', parseOneOf(['http/json']));
  read.optional('OTEL_TRACES_SAMPLER', parseOneOf(SAMPLERS));
  const isOff = read.value('OTEL_SDK_DISABLED', parseOneOf(['true', 'false']), 'false') === 'true';
  if (endpoint === undefined || isOff || !(traces || metrics)) return undefined;
  const variables = Object.fromEntries(read.names(PREFIX).map((name) => [name, read.optional(name, parseText) ?? '']));
  return { traces, metrics, metricIntervalMs, variables };
}
