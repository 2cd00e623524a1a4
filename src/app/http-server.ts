import type { IncomingMessage, RequestListener } from 'node:http';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from '../platform/config/config.ts';
import { programVersion } from '../platform/config/program.ts';
import { noTracer } from '../kernel/tracer.ts';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { NestLog } from '../platform/telemetry/logging/nest-log.ts';
import { logRequests, requestId, meterRequests, traceRequests } from '../platform/http/server/request-telemetry.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';
import { ConnectionMetrics } from '../platform/telemetry/metrics/connection-metrics.ts';
import { traceOfRequest } from '../platform/http/context/request-state.ts';
import { answerOfStatus } from '../platform/http/errors/answer-of.ts';
import { TokenGuard } from '../accounts/sign-in/auth.guard.ts';
import { apiRights } from './api-rights.ts';
import { signAnswers } from '../proof/receipts/sign-answers.ts';
import { PageHosts } from '../status-pages/page-hosts.ts';
import { answerConditionally } from '../platform/http/server/entity-tags.ts';
import {
  addSecurityHeaders,
  closeConnectionsWhile,
  refuseSecondHost,
  securityHeaders,
  stopBodyOnHead,
} from '../platform/http/server/hooks.ts';
import { brokenRequestAnswer } from '../platform/http/server/protocol-errors.ts';
import { DEFAULT_BODY_LIMIT, raiseLimitWithToken, readJson, refuseUselessBodies } from '../platform/http/server/request-bodies.ts';
import { MAX_PARAM_LENGTH, stateAllowedMethods } from '../platform/http/server/route-methods.ts';
import { admitOperations } from '../site-files/batch/batch-operations.ts';
import { claimsSlot } from '../accounts/sign-in/request-caller.ts';
import {
  delayRefusals,
  limitConnections,
  limitUnfinishedRequests,
  serverWithoutPipelining,
  timeouts,
} from '../platform/http/server/slow-clients.ts';

const CORS = {
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  exposedHeaders: [
    ...['Accept-Patch', 'Allow', 'Deprecation', 'ETag', 'Link', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'Sunset'],
    ...['Content-Digest', 'Date', 'Signature', 'Signature-Input'],
    ...['Watchledger-As-Of', 'Watchledger-Error-Code', 'Watchledger-Receipt', 'X-Request-Id'],
  ],
  maxAge: 600,
};

/** Routes requests by their host name; only the API has it. */
interface HostRoutes {
  /** The URL that is routed. */
  rewritten(request: Pick<IncomingMessage, 'url' | 'headers'>): string;
  read(): Promise<void>;
}

const hostRoutes: readonly Type<HostRoutes>[] = [PageHosts];

type ServerConfig = Pick<
  Config,
  | 'roles'
  | 'trustProxy'
  | 'rateLimit'
  | 'corsOrigins'
  | 'publicUrl'
  | 'requestTimeout'
  | 'connectionTimeout'
  | 'maxConnections'
  | 'maxConnectionsPerAddress'
  | 'maxUnfinishedRequests'
>;

/** Nest on Fastify, whose container is made and waits for its start; `module` is the root of the application. */
export async function openHttpServer(
  module: DynamicModule,
  config: ServerConfig,
  logger: Logger,
  tracer = noTracer,
): Promise<NestFastifyApplication> {
  const headers = securityHeaders(config.publicUrl);
  // Known once the application is made; nothing is served before.
  const hosts: HostRoutes[] = [];
  let guard: TokenGuard | undefined;
  const adapter = new FastifyAdapter({
    rewriteUrl: ({ url = '/', headers }: IncomingMessage) => hosts.reduce((path, each) => each.rewritten({ url: path, headers }), url),
    bodyLimit: DEFAULT_BODY_LIMIT,
    genReqId: requestId,
    trustProxy: config.trustProxy.length === 0 ? false : [...config.trustProxy],
    clientErrorHandler: brokenRequestAnswer(headers),
    return503OnClosing: false,
    // Clients of the interface also write `/project/{id}/` (docs/spec/decisions.md#G14).
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    frameworkErrors: unroutableAnswer(headers),
    ...timeouts(config),
    serverFactory: (handler: RequestListener) => serverWithoutPipelining(handler, timeouts(config), config.trustProxy),
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
  });
  const fastify: FastifyInstance = adapter.getInstance();
  readJson(fastify);
  raiseLimitWithToken(fastify, (operation) => apiRights[operation]?.kind === 'public');
  addSecurityHeaders(fastify, headers);
  // Before every hook that may answer: each answer carries the id of its request.
  traceRequests(fastify, tracer);
  logRequests(fastify, logger, (request) => traceOfRequest(request).traceId);
  refuseSecondHost(fastify);
  admitOperations(fastify);
  stateAllowedMethods(fastify, { cors: config.corsOrigins.length > 0 });
  refuseUselessBodies(fastify, (request, reply) => (guard === undefined ? Promise.resolve() : guard.admit(request, reply)));
  answerConditionally(fastify);
  signAnswers(fastify, { program: programVersion(), publicUrl: config.publicUrl });
  stopBodyOnHead(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    bodyParser: false,
    logger: new NestLog(logger),
    abortOnError: false,
  });
  app.setGlobalPrefix('api');
  if (config.corsOrigins.length > 0) app.enableCors({ ...CORS, origin: [...config.corsOrigins] });
  const metrics = app.get(Metrics);
  meterRequests(fastify, metrics);
  if (config.roles.includes('api')) {
    hosts.push(...hostRoutes.map((each) => app.get(each)));
    guard = app.get(TokenGuard);
  }
  const health = app.get(HealthParts);
  closeConnectionsWhile(() => health.isStopping, fastify);
  const connections = new ConnectionMetrics(metrics);
  limitConnections(fastify.server, config, connections);
  limitUnfinishedRequests(fastify, config, connections);
  delayRefusals(fastify, config, (request) => claimsSlot.get(request) === undefined);
  return app;
}

/** The hooks of Nest start the lifecycle; the hosts are read from the read models that it has filled. */
export async function startHttpServer(app: NestFastifyApplication, { roles }: Pick<Config, 'roles'>): Promise<void> {
  await app.init();
  if (roles.includes('api')) await Promise.all(hostRoutes.map((each) => app.get(each).read()));
}

/** Part of the nine seconds in which the program stops (main.ts); the parts that close after the server need some, too. */
const GRACE_MS = 5_000;

/** Finishes the requests that are under way and accepts no new ones; connections that are still open after `GRACE_MS` are closed. */
export async function closeHttpServer(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  // A kept-alive connection is idle only after its last answer.
  const idle = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  const late = setTimeout(() => {
    server.closeAllConnections();
  }, GRACE_MS);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(late);
  }
}

/** Bodies are validated by their DTO classes; the validator and serializer of Fastify, which load slowly, are never built. */
function refuseSchemas(): never {
  throw new Error('a route declares a Fastify schema; routes of this service validate with DTO classes');
}

/** A path that Fastify cannot route; it asks before any hook has run, so the headers are set here. */
const unroutableAnswer =
  (headers: Readonly<Record<string, string>>) =>
  (_error: Error, { id }: FastifyRequest, reply: FastifyReply): void => {
    const answer = answerOfStatus(404, id);
    void reply
      .status(answer.status)
      .headers({ ...headers, ...answer.headers, 'x-request-id': id })
      .send(answer.body);
  };
