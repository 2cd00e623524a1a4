import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';

/** A HEAD of a stream has its headers and makes nothing of it: the framework would read a whole history to its end for nobody, also when who asked is gone. */
export function endHeadsOfStreams(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (request.method !== 'HEAD' || !(payload instanceof Readable)) {
      done(null, payload);
      return;
    }
    payload.destroy();
    done(null, Readable.from([]));
  });
}
