import type { FastifyRequest } from 'fastify';
import { newTrace, type TraceContext } from '../../../kernel/trace-context.ts';
import type { JointPlace } from '../../commands/context.ts';
import type { AsOf } from '../as-of/as-of.ts';
import type { ThingIds } from '../conditions/thing.ts';
import { NotAuthenticated } from '../errors/refusals.ts';
import type { ListRequest } from '../lists/list.ts';
import type { Principal } from './principal.ts';
import type { RequestContext } from './request-context.ts';
import { RequestSlot } from './request-slot.ts';

/** Who makes the request. */
export const principalSlot = new RequestSlot<Principal>('principal', () => new NotAuthenticated());

/** The command context of the request. */
export const contextSlot = new RequestSlot<RequestContext>('command context');

/** Set when the caller has no right any more but repeats a keyed write that was accepted: its stored answer may be replayed, nothing is executed. */
export const refusalSlot = new RequestSlot<Error>('refusal');

/** The instant that the request asks about. */
export const asOfSlot = new RequestSlot<AsOf>('instant');

/** The position of the read models before anything was read of them: the answer contains every event up to it. */
export const positionSlot = new RequestSlot<number>('position');

/** The ids of the project, the check and the area that the path names, as far as it does. */
export const namedIdsSlot = new RequestSlot<Partial<Pick<ThingIds, 'projectId' | 'checkId' | 'areaId'>>>('named ids');

/** Whether a project that no longer exists is answered as one of others (docs/spec/decisions.md#G6). */
export const hidesProjectsSlot = new RequestSlot<boolean>('answer to an unknown project');

/** The tag of the settings that the answer shows, for `If-Match`. */
export const settingsTagSlot = new RequestSlot<string>('tag of settings');

/** Counts the request for less, because it is answered with 304. */
export const unchangedSlot = new RequestSlot<() => void>('budget of unchanged answers');

/** What the query asks of a list. */
export const listSlot = new RequestSlot<ListRequest>('list');

/** For an operation of a batch: where its command joins the append, and what is called when it has appended. */
export const jointSlot = new RequestSlot<{ readonly joint?: JointPlace; readonly onAppend?: () => void }>('place in a batch');

/** The trace that the request belongs to. */
export const traceSlot = new RequestSlot<TraceContext>('trace');

/** One that began here is made when something needs it. */
export function traceOfRequest(request: FastifyRequest): TraceContext {
  const known = traceSlot.get(request);
  if (known !== undefined) return known;
  const made = newTrace();
  traceSlot.set(request, made);
  return made;
}
