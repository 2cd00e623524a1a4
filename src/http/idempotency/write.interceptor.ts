import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { randomId } from '../../kernel/ids.ts';
import { formatTraceparent } from '../../kernel/trace-context.ts';
import { actorOf } from '../context/principal.ts';
import { mayWrite, type RequestContext, trackWrites, WRITE_VISIBILITY, type WriteVisibility } from '../context/request-context.ts';
import { disconnectSignal } from '../context/disconnect-signal.ts';
import { stateOf } from '../context/request-state.ts';
import { EventBudget } from '../budgets/event-budget.ts';
import { KeyedWrites } from './keyed-writes.ts';

/**
 * Gives every authenticated request that may change something its command context, and holds its answer back until reads show what it wrote
 * (read-your-writes, docs/spec/decisions.md#G10).
 */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    @Inject(KeyedWrites) private readonly keyed: KeyedWrites,
    @Inject(WRITE_VISIBILITY) private readonly visibility: WriteVisibility,
    @Inject(EventBudget) private readonly budget: EventBudget,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const reply = execution.switchToHttp().getResponse<FastifyReply>();
    const { principal, trace } = stateOf(request);
    if (principal === undefined || !mayWrite(request.method, request.routeOptions.url)) return next.handle();
    const execute = async (command: Pick<RequestContext, 'commandId' | 'repeat' | 'requestHash' | 'firstTriedAfter'>): Promise<unknown> => {
      const writes = trackWrites(this.visibility, this.budget.ofRequest(principal, request.method === 'DELETE'));
      const occurredAt = new Date().toISOString();
      stateOf(request).context = {
        actor: actorOf(principal),
        chain: null,
        occurredAt,
        ...(trace === undefined ? {} : { traceparent: formatTraceparent(trace) }),
        signal: disconnectSignal(reply),
        ...command,
        ...writes,
      };
      const answer: unknown = await firstValueFrom(next.handle(), { defaultValue: undefined });
      await writes.waitUntilVisible();
      return answer;
    };
    const key = this.keyed.keyOf(principal, request);
    if (key === null) return from(execute({ commandId: randomId(), repeat: false }));
    // The first use of a key counts as a repeat, too: its own repeat on another instance may have been faster.
    return from(this.keyed.once(execution, principal, key, (command) => execute({ ...command, repeat: true })));
  }
}
