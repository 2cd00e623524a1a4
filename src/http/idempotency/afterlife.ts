import type { FastifyRequest } from 'fastify';
import { NotFound } from '../errors/refusals.ts';
import { success } from '../project/success.ts';

/** docs/spec/interface.md#tests-checks: the body of a deletion. */
export const testDeleted = { message: 'The test was deleted.', success: true, error: false } as const;

/**
 * What a repeat is told whose first try got through the rights and was not answered: a deletion of what is not there any more is done. Null: whoever
 * repeats anything else is refused like everybody.
 */
export function afterlife(request: FastifyRequest, refusal: Error): object | null {
  if (request.method !== 'DELETE' || !(refusal instanceof NotFound)) return null;
  return /\/tests?\//.test(request.routeOptions.url ?? '') ? testDeleted : success;
}
