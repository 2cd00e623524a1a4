import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { InvalidInput } from '../../../kernel/errors.ts';

/** On every answer: no content sniffing, no framing, no referrer, no scripts, no caching unless a route says so. */
const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // What is no page runs nothing and loads nothing, wherever it is shown; a page states its own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

type Headers = Readonly<Record<string, string>>;

/** A year of HTTPS only (HSTS), where the service is known to be reached by it. Subdomains are not ours to decide about. */
export const securityHeaders = (publicUrl: string | undefined): Headers =>
  publicUrl?.startsWith('https:') === true ? { ...SECURITY_HEADERS, 'strict-transport-security': 'max-age=31536000' } : SECURITY_HEADERS;

export function addSecurityHeaders(fastify: FastifyInstance, headers: Headers): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Node keeps the first of several, a proxy in front perhaps another: they would disagree about whose request it is. */
export function refuseSecondHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw: { rawHeaders } }, _reply, done) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length;
    done(hosts > 1 ? new InvalidInput('Host: must be sent once') : undefined);
  });
}

/** While the service stops, every answer closes its connection, so that clients and proxies open the next one elsewhere. */
export function closeConnectionsWhile(isStopping: () => boolean, fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** A HEAD request must not drain a streamed body: Fastify would read a whole export to its end. */
export function stopBodyOnHead(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) {
      done(null, payload);
      return;
    }
    payload.destroy();
    done(null, Readable.from([]));
  });
}
