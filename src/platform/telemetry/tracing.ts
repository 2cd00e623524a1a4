import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import { programVersion } from '../config/program.ts';
import type { OtlpConfig } from '../config/otlp.ts';
import { noTracer } from '../../kernel/tracer.ts';
import type { Telemetry } from './tracing/otlp.ts';

export const untraced: Telemetry = { tracer: noTracer, close: () => Promise.resolve() };

/** The packages of OpenTelemetry are loaded only where an endpoint is set. */
export async function openTracing(config: OtlpConfig | undefined, registry: Registry, logger: Logger): Promise<Telemetry> {
  if (config === undefined) return untraced;
  const { openTelemetry } = await import('./tracing/otlp.ts');
  const onFailed = (reason: string): void => {
    logger.warn({ reason }, 'traces or metrics could not be sent by OTLP');
  };
  return openTelemetry({ config, version: programVersion(), registry, onFailed });
}
