import type { FastifyRequest } from 'fastify';
import type { CommandContext } from '../../commands/context.ts';
import type { Principal } from './principal.ts';
import type { ProjectAccess } from './project-access.ts';

/** What guards and interceptors leave at a request for its handler. */
export interface RequestState {
  principal?: Principal;
  command?: CommandContext;
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
