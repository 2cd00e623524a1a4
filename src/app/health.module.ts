import { type DynamicModule, Module } from '@nestjs/common';
import { CHECKER_METER } from '../checker/checker-meter.ts';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { CheckerMetrics } from '../checker/checker-metrics.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { METRICS_ACCESS, type MetricsAccess, MetricsServer } from '../platform/http/server/metrics-server.ts';
import { OpenApi, OpsRoutes } from './ops-routes.ts';

/** Health, metrics and the API description. */
@Module({})
export class HealthModule {
  static forRoot(access: MetricsAccess, teams: readonly object[] = []): DynamicModule {
    const meter = {
      provide: CHECKER_METER,
      useFactory: (metrics: Metrics, health: HealthParts) => new CheckerMetrics(metrics, health),
      inject: [Metrics, HealthParts],
    };
    const openApi = { provide: OpenApi, useValue: new OpenApi(teams) };
    const providers = [HealthParts, openApi, OpsRoutes, MetricsServer, meter, { provide: METRICS_ACCESS, useValue: access }];
    return { module: HealthModule, global: true, providers, exports: [HealthParts, OpenApi, CHECKER_METER] };
  }
}
