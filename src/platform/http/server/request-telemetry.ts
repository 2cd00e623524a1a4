import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseTraceparent } from '../../../kernel/trace-context.ts';
import type { Tracer } from '../../../kernel/tracer.ts';
import { traceSlot } from '../context/request-state.ts';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from '../../telemetry/metrics/metrics.ts';

/** Every request belongs to a trace: to its caller's (`traceparent`, W3C Trace Context), or to a new one where there is none that is valid. */
export function traceRequests(fastify: FastifyInstance, tracer: Tracer): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const parent = parseTraceparent(request.headers['traceparent']);
    const span = tracer.start(request.method, { kind: 'server', parent });
    const trace = span.context ?? parent;
    if (trace !== null) traceSlot.set(request, trace);
    // Also of a request whose client disconnects.
    if (span.context !== null) {
      reply.raw.once('close', () => {
        const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
        const { statusCode: status } = reply;
        span.rename(`${request.method} ${route}`);
        span.set({ 'http.request.method': request.method, 'http.route': route, 'http.response.status_code': status });
        span.end(status >= 500 ? { code: String(status) } : undefined);
      });
    }
    done();
  });
}

const ID = /^[\w.:-]{1,64}$/;
/** Of an address, of which a client may send 16 KiB. */
const MOST_LETTERS = 2_048;
const LOW_LEVEL_PATHS = /^\/(health|metrics|docs)/;

/** For Fastify's `genReqId`: uses a valid id of the proxy, so that one id appears in both logs. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && ID.test(given) ? given : randomUUID();
}

/** One line per answered request: writes and refusals at info, reads at debug level. Never headers or bodies. */
export function logRequests(fastify: FastifyInstance, logger: Logger, traceIdOf: (request: FastifyRequest) => string): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { statusCode: status } = reply;
    const level =
      status >= 500 ? 'error' : LOW_LEVEL_PATHS.test(request.url) ? 'trace' : request.method !== 'GET' || status >= 400 ? 'info' : 'debug';
    if (logger.isLevelEnabled(level)) {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      const ids = { requestId: request.id, traceId: traceIdOf(request) };
      logger[level]({ ...ids, method: request.method, url: request.url.slice(0, MOST_LETTERS), status, ms, ip: request.ip }, 'request');
    }
    done();
  });
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']);

/** Labelled by the pattern of the route, so that requested paths do not become labels. */
export function meterRequests(fastify: FastifyInstance, metrics: Metrics): void {
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    const method = METHODS.has(request.method) ? request.method : 'other';
    metrics.requests.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
}
