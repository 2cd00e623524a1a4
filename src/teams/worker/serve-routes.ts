import 'reflect-metadata';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter, Global, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answerOf } from '../../platform/http/errors/answer-of.ts';
import { MAX_PARAM_LENGTH } from '../../platform/http/server/route-methods.ts';
import { PooledTables, ProjectionTables } from '../../platform/read-models/authoring/projection-tables.ts';
import { PastProjections } from '../../platform/read-models/sets/past-projections.ts';
import { ROUTE_LIMITS } from '../route-limits.ts';
import type { ServeRequest } from '../calls.ts';
import { logOf } from './projection-worker.ts';
import { ReplicatedTables } from './replicated-tables.ts';
import type { WorkerPools } from './worker-pools.ts';

export type TeamModule = Type | DynamicModule;

@Global()
@Module({})
class TablesModule {
  static of(tables: ProjectionTables, module: TeamModule): DynamicModule {
    const provided = { provide: ProjectionTables, useValue: tables };
    return { module: TablesModule, imports: [module], providers: [provided], exports: [provided] };
  }
}

/** Answers errors as the service does; a defect is reported to it. */
@Catch()
class RouteErrors implements ExceptionFilter {
  constructor(private readonly report: (error: unknown) => void) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const answer = answerOf(error, http.getRequest<FastifyRequest>().id);
    if (answer.unforeseen) this.report(error);
    const reply = http.getResponse<FastifyReply>();
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}

/** Serves the controllers of a package on a socket of this machine, to the service alone, which has checked the right of the caller. */
export async function serveRoutes(
  module: TeamModule,
  { socket, token, ...reading }: ServeRequest,
  pools: WorkerPools,
  report: (error: unknown) => void,
): Promise<NestFastifyApplication> {
  const replicated = new ReplicatedTables(reading, pools);
  const { pool } = replicated;
  const past = new PastProjections(logOf(pool, reading.access), pool);
  const tables = new PooledTables(pool, (instant) => past.asOf(instant));
  const adapter = new FastifyAdapter({
    bodyLimit: ROUTE_LIMITS.bytes,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    genReqId: ({ headers }: IncomingMessage) => String(headers['x-request-id']),
  });
  const fastify: FastifyInstance = adapter.getInstance();
  const expected = Buffer.from(`Bearer ${token}`);
  fastify.addHook('onRequest', async (request, reply) => {
    const given = Buffer.from(request.headers.authorization ?? '');
    // Nothing of it reaches the controllers.
    delete request.headers.authorization;
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) await reply.status(401).send();
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    replicated.begin(request, reply, done);
  });
  const app = await NestFactory.create<NestFastifyApplication>(TablesModule.of(tables, module), adapter, {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
  app.setGlobalPrefix('api');
  app.useGlobalFilters(new RouteErrors(report));
  await app.listen({ path: socket });
  return app;
}
