import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import 'reflect-metadata';
import { type ArgumentsHost, Catch, type DynamicModule, type ExceptionFilter, Global, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { answerOf } from '../../platform/http/errors/answer-of.ts';
import { MAX_PARAM_LENGTH } from '../../platform/http/server/route-methods.ts';
import { PooledTables, ProjectionTables } from '../../platform/read-models/authoring/projection-tables.ts';
import { PastProjections } from '../../platform/read-models/sets/past-projections.ts';
import { REPLICA_HEADER, ROUTE_LIMITS } from '../team-limits.ts';
import type { ServeRequest } from '../calls.ts';
import { logOf } from './projection-worker.ts';
import type { WorkerPools } from './worker-pools.ts';
import type { PoolOptions } from '../../platform/postgres/pool.ts';
import { type AnsweringReplica, beginReading } from '../../platform/postgres/read-replicas/current-replica.ts';
import { replicaName } from '../../platform/postgres/read-replicas/read-replica.ts';
import { routedPool } from '../../platform/postgres/read-replicas/routed-pool.ts';

/** Reads of controllers, and folds as of an instant. */
const CONNECTIONS = 3;
const STATEMENT_MS = 5_000;
const CONNECT_MS = 1_000;

/** The connections of the controllers of a package: to the replica that the service chose for a request, and to the primary. */
class ReplicatedTables {
  readonly pool: pg.Pool;
  private readonly replicas: ReadonlyMap<string, AnsweringReplica>;

  constructor({ access, replicas: urls }: Pick<ServeRequest, 'access' | 'replicas'>, pools: WorkerPools) {
    const open = (url: string, options: PoolOptions): pg.Pool =>
      pools.open({ ...access, url }, { max: CONNECTIONS, statementTimeoutMs: STATEMENT_MS, readOnly: true, ...options });
    const primary = open(access.url, { name: 'team tables' });
    this.replicas = new Map(
      urls.map((url) => {
        // Bounded by the client, because no statement lifts its limit there and a replica may fall silent.
        const pool = open(url, { name: 'team replica', connectMs: CONNECT_MS, hasLongStatements: false });
        return [replicaName(url), { name: replicaName(url), pool, isUsed: true, repeated: () => undefined }] as const;
      }),
    );
    this.pool = urls.length === 0 ? primary : routedPool(primary);
  }

  /** Lets the replica that the request names answer its reads. */
  begin({ headers }: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const replica = this.replicas.get(String(headers[REPLICA_HEADER]));
    Reflect.deleteProperty(headers, REPLICA_HEADER);
    if (replica === undefined) done();
    else reply.raw.once('close', beginReading(replica, done));
  }
}

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
