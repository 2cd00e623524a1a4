import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { answerOf } from '../platform/http/errors/answer-of.ts';
import { NotAuthenticated } from '../platform/http/errors/refusals.ts';
import { docsAssets } from '../platform/http/server/docs-page.ts';
import { mayReadMetrics, METRICS_ACCESS, type MetricsAccess } from '../platform/http/server/metrics-server.ts';

const VERSION = '1';

/** The OpenAPI document, loaded and built at its first request so that it does not delay the start. */
export class OpenApi {
  private built: Promise<Buffer> | undefined;

  /** `teams`: the modules that packages of projections add. */
  constructor(private readonly teams: readonly object[]) {}

  /** The same bytes each time, of which a million are neither encoded nor hashed again. */
  json(): Promise<Buffer> {
    this.built ??= import('./open-api.ts').then(({ describeApi }) => Buffer.from(JSON.stringify(describeApi(VERSION, this.teams))));
    return this.built;
  }
}

/** By their paths, each loaded with its first request. */
const schemas: Readonly<Record<string, () => Promise<object>>> = {
  '/schemas/site.json': async () => (await import('../site-files/site-file-schema.ts')).siteFileSchema(),
};

/** Health, metrics, schemas and API docs: registered on Fastify itself, so that they need no token and no database. */
@Injectable()
export class OpsRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly health: HealthParts,
    private readonly metrics: Metrics,
    private readonly openApi: OpenApi,
    @Inject(METRICS_ACCESS) private readonly access: MetricsAccess,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    this.addHealthRoutes(fastify);
    if (this.access.metricsPort === undefined) this.addMetricsRoute(fastify);
    fastify.get('/api/openapi.json', async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(await this.openApi.json()),
    );
    for (const [path, load] of Object.entries(schemas)) {
      fastify.get(path, async (_request, reply) =>
        reply
          .type('application/schema+json; charset=utf-8')
          .headers({ 'cache-control': 'public, max-age=3600' })
          .send(JSON.stringify(await load())),
      );
    }
    for (const [name, asset] of Object.entries(docsAssets)) {
      fastify.get(name === '' ? '/docs' : `/docs/${name}`, async (_request, reply) =>
        reply
          .type(asset.type)
          .headers({ 'cache-control': 'public, max-age=3600', ...asset.headers })
          .send(await asset.body()),
      );
    }
  }

  private addMetricsRoute(fastify: FastifyInstance): void {
    fastify.get('/metrics', async ({ headers, id }, reply) => {
      if (!mayReadMetrics(this.access, headers.authorization)) {
        const refusal = answerOf(new NotAuthenticated('METRICS_TOKEN is required as a bearer token.'), id);
        return reply.status(refusal.status).headers(refusal.headers).send(refusal.body);
      }
      return reply.type(this.metrics.registry.contentType).send(await this.metrics.text());
    });
  }

  private addHealthRoutes(fastify: FastifyInstance): void {
    fastify.get('/health/live', (_request, reply) => reply.header('cache-control', 'no-store').send({ live: true }));
    fastify.get('/health/ready', async (_request, reply) => {
      const readiness = await this.health.readiness();
      return reply
        .status(readiness.ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send(readiness);
    });
  }
}
