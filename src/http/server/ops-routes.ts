import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { assets } from './docs/asset-table.ts';
import { OpenApi } from './docs/open-api.ts';
import { HealthParts } from '../../telemetry/health/health-parts.ts';
import { Metrics } from '../../telemetry/metrics/metrics.ts';

/** For operators and balancers, without a token: straight on the server, so that no guard and no database stands in the way of a health check. */
@Injectable()
export class OpsRoutes implements OnModuleInit {
  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(HealthParts) private readonly health: HealthParts,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(OpenApi) private readonly openApi: OpenApi,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    this.healthRoutes(fastify);
    fastify.get('/metrics', async (_request, reply) =>
      reply.type(this.metrics.registry.contentType).send(await this.metrics.registry.metrics()),
    );
    fastify.get('/api/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await this.openApi.json()),
    );
    for (const [name, asset] of Object.entries(assets)) {
      fastify.get(name === '' ? '/docs' : `/docs/${name}`, async (_request, reply) =>
        reply
          .type(asset.type)
          .headers({ 'cache-control': 'public, max-age=3600', ...asset.headers })
          .send(await asset.body()),
      );
    }
    fastify.get('/docs/', (_request, reply) => reply.redirect('/docs'));
  }

  private healthRoutes(fastify: FastifyInstance): void {
    fastify.get('/health/live', (_request, reply) => reply.header('cache-control', 'no-store').send({ live: true }));
    fastify.get('/health/ready', async (_request, reply) => {
      const readiness = await this.health.look();
      return reply
        .status(readiness.ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send(readiness);
    });
  }
}
