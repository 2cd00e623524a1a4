import type { FastifyInstance } from 'fastify';
import { parseTraceparent } from '../../../kernel/trace-context.ts';
import type { Tracer } from '../../../kernel/tracer.ts';
import { traceSlot } from '../context/request-state.ts';

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
