import type { FastifyInstance } from 'fastify';
import { newTrace, parseTraceparent } from '../../kernel/trace-context.ts';
import { stateOf } from '../context/request-state.ts';

/** Every request belongs to a trace: to its caller's (`traceparent`, W3C Trace Context), or to a new one where there is none that is valid. */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    stateOf(request).trace = parseTraceparent(request.headers['traceparent']) ?? newTrace();
    done();
  });
}
