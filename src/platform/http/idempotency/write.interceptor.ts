import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { randomId } from '../../../kernel/ids.ts';
import { formatTraceparent } from '../../../kernel/trace-context.ts';
import { actorOf, type Principal } from '../context/principal.ts';
import {
  mayWrite,
  type RequestContext,
  trackWrites,
  WRITE_VISIBILITY,
  type WriteVisibility,
  WriteBudgets,
} from '../context/request-context.ts';
import { disconnectSignal } from '../context/disconnect-signal.ts';
import { contextSlot, jointSlot, namedIdsSlot, principalSlot, traceOfRequest } from '../context/request-state.ts';
import { PreconditionFailed } from '../../commands/precondition.ts';
import { matchedThing, nothingToMatch, readIfMatch } from '../conditions/if-match.ts';
import { KeyedWrites } from './keyed-writes.ts';
import { type MatchedTags, type ThingIds, UnreadChanges } from '../conditions/thing.ts';

const CARRIES = 'watchledger:carries-operations';
const reflector = new Reflector();

/** The route writes nothing by itself: each of the operations that it carries is a request of its own. */
export const CarriesOperations = (): MethodDecorator => SetMetadata(CARRIES, true);

type Annotated = Parameters<Reflector['get']>[1];

export const carriesOperations = (handler: object): boolean => reflector.get<true | undefined>(CARRIES, handler as Annotated) === true;

/**
 * Gives every authenticated request that may change something its command context, and holds its answer back until reads show what it wrote
 * (read-your-writes, docs/spec/decisions.md#G10).
 */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    private readonly keyed: KeyedWrites,
    @Inject(WRITE_VISIBILITY) private readonly visibility: WriteVisibility,
    private readonly budget: WriteBudgets,
    private readonly unread: UnreadChanges,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const reply = execution.switchToHttp().getResponse<FastifyReply>();
    const principal = principalSlot.get(request);
    const joint = jointSlot.get(request);
    if (principal === undefined || !mayWrite(request.method, request.routeOptions.url)) return next.handle();
    const execute = async (command: Pick<RequestContext, 'commandId' | 'repeat' | 'requestHash' | 'firstTriedAfter'>): Promise<unknown> => {
      const writes = trackWrites(this.visibility, this.budget.ofRequest(principal, request.method === 'DELETE'));
      const occurredAt = new Date().toISOString();
      const matched = matchedTagsOf(execution);
      contextSlot.set(request, {
        actor: actorOf(principal),
        chain: null,
        occurredAt,
        traceparent: formatTraceparent(traceOfRequest(request)),
        signal: disconnectSignal(reply),
        precondition: matched && { tags: matched.tags },
        joint: joint?.joint,
        ...command,
        ...writes,
        recordAppend: (place, events) => {
          writes.recordAppend(place, events);
          joint?.onAppend?.();
        },
      });
      const answer: unknown = await firstValueFrom(next.handle(), { defaultValue: undefined }).catch(async (error: unknown) => {
        if (matched === undefined || !(error instanceof PreconditionFailed)) throw error;
        throw await this.unread.explained(error, matched, idsIn(request, principal));
      });
      await writes.waitUntilVisible();
      return answer;
    };
    const key = this.keyed.keyOf(principal, request);
    if (key === null) return from(execute({ commandId: randomId(), repeat: false }));
    // The first use of a key counts as a repeat, too: its own repeat on another instance may have been faster.
    return from(this.keyed.once(execution, principal, key, (command) => execute({ ...command, repeat: true })));
  }
}

/** The tags of a request with `If-Match`; undefined for `*`, as the decision itself refuses what does not exist. */
function matchedTagsOf(execution: ExecutionContext): MatchedTags | undefined {
  const header = execution.switchToHttp().getRequest<FastifyRequest>().headers['if-match'];
  const tags = header === undefined ? null : readIfMatch(header);
  if (tags === null) return undefined;
  const thing = matchedThing(execution.getHandler());
  if (thing === undefined) throw nothingToMatch();
  return { thing, tags };
}

function idsIn(request: FastifyRequest, { userId }: Principal): ThingIds {
  const { channel = '', id = '', sid = '', did = '' } = request.params as Readonly<Record<string, string | undefined>>; // of the router
  const named = { projectId: '', checkId: '', areaId: '', ...namedIdsSlot.get(request), userId, channel };
  return { ...named, pageId: id, serviceAccountId: sid, destinationId: did };
}
