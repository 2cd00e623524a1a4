import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../kernel/errors.ts';
import { operationOf } from '../../accounts/sign-in/operation-of-batch.ts';
import { atomicOperations, batchOperations } from './batch-operations.ts';

export class NotInBatch extends DomainError {
  readonly code = 'NOT_IN_BATCH';
}

/** Refuses what may not stand in a batch by the route that the router has found, whatever the spelling of the path. */
export function admitOperations(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    const operation = operationOf(request);
    if (operation === undefined || request.is404) {
      done();
      return;
    }
    const route = `${request.method} ${(request.routeOptions.url ?? '').replace(/^\/api(?=\/)/, '')}`;
    if (!batchOperations.has(route)) done(new NotInBatch(`${route} cannot be an operation of a batch.`));
    else if (operation.joint !== undefined && !atomicOperations.has(route))
      done(new NotInBatch(`${route} cannot be an operation of an atomic batch, because it is more than one append to one project.`));
    else done();
  });
}
