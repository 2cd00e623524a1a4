import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

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
