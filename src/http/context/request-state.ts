import type { FastifyRequest } from 'fastify';
import type { AreaRow } from '../../projections/read-models/area/area.view.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { AsOf } from '../as-of/as-of.ts';
import type { Claims } from '../auth/token-signer.ts';
import type { Right } from '../rights/right.ts';
import type { Principal } from './principal.ts';
import type { ProjectAccess } from './project-access.ts';
import type { RequestContext } from './request-context.ts';

/** What guards and interceptors leave at a request for its handler. */
export interface RequestState {
  principal?: Principal;
  /** Stated by the route; undefined: the route is closed. */
  right?: Right | undefined;
  context?: RequestContext;
  /** Why it would be refused, were it not the repeat of a write that got through: its answer is kept, and nothing is carried out. */
  refusal?: Error;
  access?: ProjectAccess;
  /** The instant that the request asks about. */
  asOf?: AsOf;
  /** What the token says of itself. */
  claims?: Claims;
  /** Read on the way from the test or area in the path to its project. */
  check?: CheckRow;
  area?: AreaRow;
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
