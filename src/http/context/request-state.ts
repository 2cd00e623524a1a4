import type { FastifyRequest } from 'fastify';
import type { Principal } from './principal.ts';
import type { ProjectAccess } from './project-access.ts';
import type { RequestContext } from './request-context.ts';

/** What guards and interceptors leave at a request for its handler. */
export interface RequestState {
  principal?: Principal;
  context?: RequestContext;
  access?: ProjectAccess;
}

const states = new WeakMap<object, RequestState>();

export function stateOf(request: FastifyRequest): RequestState {
  let state = states.get(request.raw);
  if (state === undefined) {
    state = {};
    states.set(request.raw, state);
  }
  return state;
}
