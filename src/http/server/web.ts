import { type DynamicModule, NotFoundException, ServiceUnavailableException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';
import { changesByGet } from '../context/changing-get.ts';
import { answerOf } from '../errors/answer-of.ts';
import { NestLog } from '../../telemetry/logging/nest-log.ts';
import { endHeadsOfStreams } from './heads-of-streams.ts';
import { logRequests, requestId } from '../../telemetry/logging/request-log.ts';
import { meterRequests } from '../../telemetry/metrics/request-metrics.ts';
import { Metrics } from '../../telemetry/metrics/metrics.ts';
import { HARD_HEADERS } from './security-headers.ts';
import { answerBrokenRequest } from './protocol-errors.ts';
import { BODY_LIMIT, readJson } from './request-bodies.ts';

/** No part of a path that stands for an id or a name is longer. */
const MAX_ID = 300;

/** Pages may do what any client may, and see what an answer says beside its body. */
const CORS = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  exposedHeaders: ['Retry-After', 'Watchledger-As-Of', 'X-Request-Id'],
  maxAge: 600,
};

/** Nest on Fastify, ready to listen. */
export async function openWeb(root: DynamicModule, config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    genReqId: requestId,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    clientErrorHandler: answerBrokenRequest,
    return503OnClosing: false,
    routerOptions: { maxParamLength: MAX_ID },
    frameworkErrors: notFound,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
  });
  const fastify: FastifyInstance = adapter.getInstance();
  readJson(fastify);
  harden(fastify);
  endHeadsOfStreams(fastify);
  logRequests(fastify, logger);
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    bodyParser: false,
    logger: new NestLog(logger),
    abortOnError: false,
  });
  app.setGlobalPrefix('api');
  if (config.corsOrigins.length > 0) app.enableCors({ ...CORS, origin: [...config.corsOrigins] });
  meterRequests(fastify, app.get(Metrics));
  await app.init();
  return app;
}

/** Of the nine seconds in which the program ends (main.ts); what ends after it needs some, too. */
const PATIENCE_MS = 5_000;

/** Answers what is under way, and nothing new. Whoever is not done by then, such as a long download, is cut off. */
export async function closeWeb(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  // A connection that is kept alive is idle only when its last answer has gone out.
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, PATIENCE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}

/** Bodies are judged by their classes: the framework's own validator and serializer, which take long to load, are not. */
function noSchemas(): never {
  throw new Error('a route has a schema, and nothing here reads one');
}

/** The path holds something that is no id, so there is nothing at it. Fastify asks before any hook has run. */
function notFound(_error: Error, _request: FastifyRequest, reply: FastifyReply): void {
  const { status, body } = answerOf(new NotFoundException());
  void reply.status(status).headers(HARD_HEADERS).send(body);
}

function harden(fastify: FastifyInstance): void {
  let isEnding = false;
  fastify.addHook('preClose', (done) => {
    isEnding = true;
    done();
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(HARD_HEADERS);
    if (isEnding) {
      const { status, body } = answerOf(new ServiceUnavailableException());
      void reply.status(status).header('retry-after', '2').send(body);
      return;
    }
    // A HEAD of something that changes would change it (docs/spec/decisions.md#G7).
    if (request.method === 'HEAD' && changesByGet(request.routeOptions.url)) reply.callNotFound();
    else done();
  });
}
