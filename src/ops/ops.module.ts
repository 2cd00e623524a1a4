import { Global, Module } from '@nestjs/common';
import { OpenApi } from './docs/open-api.ts';
import { HealthParts } from './health/health-parts.ts';
import { Metrics } from './metrics/metrics.ts';
import { OpsRoutes } from './ops-routes.ts';

/** Health, metrics and the description of the interface; any part of the program may register with the first two. */
@Global()
@Module({ providers: [HealthParts, Metrics, OpenApi, OpsRoutes], exports: [HealthParts, Metrics, OpenApi] })
export class OpsModule {}
