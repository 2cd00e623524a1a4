import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

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
