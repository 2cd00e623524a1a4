import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../kernel/errors.ts';
import { operationOf } from '../../accounts/sign-in/operation-of-batch.ts';

/**
 * Operations whose only effect is one append to the stream of their project: those that may be part of an atomic batch. What they keep beside the log is
 * written after it.
 */
export const atomicOperations: ReadonlySet<string> = new Set([
  ...['PUT /project/:id', 'PATCH /project/:id'],
  ...['POST /project/:id/areas', 'PUT /area/:id', 'PATCH /area/:id', 'DELETE /area/:id'],
  ...['POST /project/:id/tests', 'POST /test', 'POST /tests'],
  ...['PUT /test/:id', 'PATCH /test/:id', 'DELETE /test/:id', 'PUT /tests/:id', 'PATCH /tests/:id', 'DELETE /tests/:id'],
  ...['PUT /project/:id/users/:userId', 'DELETE /project/:id/users'],
  ...['PUT /project/:id/objective', 'PATCH /project/:id/objective', 'DELETE /project/:id/objective'],
  ...['POST /project/:id/maintenance', 'DELETE /project/:id/maintenance', 'DELETE /project/:id/maintenance/:windowId'],
  ...['PUT /project/:id/badge', 'POST /project/:id/notifications'],
]);

/**
 * What may stand in a batch: changes of projects that are useful by the hundred and answer at once. Nothing that asks who the caller is, that fetches or
 * streams, or that is bounded by the requests of a minute alone.
 */
export const batchOperations: ReadonlySet<string> = new Set([
  ...atomicOperations,
  ...['POST /project/create', 'DELETE /project/:id'],
  ...['POST /project/:id/users', 'POST /test/:id/corrections', 'POST /tests/:id/corrections'],
  ...['POST /project/:id/destinations', 'PUT /project/:id/destinations/:did', 'PATCH /project/:id/destinations/:did'],
  ...['DELETE /project/:id/destinations/:did', 'POST /project/:id/destinations/:did/pause', 'POST /project/:id/destinations/:did/resume'],
]);

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
