import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { mergeMap, type Observable } from 'rxjs';
import type { AccessKind } from '../../domain/access/access.events.ts';
import { AccessRecorder } from '../../processes/accesses/access-recorder.ts';
import { actorOf } from '../context/principal.ts';
import { currentRecomputation } from '../context/recomputation.ts';
import { mayWrite } from '../context/request-context.ts';
import { type RequestState, stateOf } from '../context/request-state.ts';
import { recordedKind } from './records-access.ts';

/** Records exports, statements, evidence, proofs, and every read by a system role, before the answer is sent (docs/spec/beyond.md#B20). */
@Injectable()
export class AccessInterceptor implements NestInterceptor {
  constructor(@Inject(AccessRecorder) private readonly recorder: AccessRecorder) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const state = stateOf(request);
    const { principal } = state;
    const kind = recordedKind(execution.getHandler(), execution.getClass()) ?? readBySystemRole(state, request);
    if (principal === undefined || kind === null || currentRecomputation() !== undefined) return next.handle();
    const projectId = projectIdOf(request, state);
    const actor = { ...actorOf(principal), tokenId: principal.tokenId };
    return next.handle().pipe(
      mergeMap(async (answer: unknown) => {
        await this.recorder.record({ projectId, kind, actor });
        return answer;
      }),
    );
  }
}

/** An auditor changes nothing, so whatever it asks of a project is a read. */
function readBySystemRole({ principal, right }: RequestState, { method, routeOptions: { url } }: FastifyRequest): AccessKind | null {
  const isAuditor = principal?.systemRole === 'auditor';
  if (right?.kind === 'project') return isAuditor ? 'read' : null;
  if (right?.kind === 'system' || (right?.kind === 'caller' && isAuditor)) return mayWrite(method, url) ? null : 'read';
  return null;
}

/** A deleted project is named by the path alone. */
function projectIdOf({ params }: FastifyRequest, { access, right }: RequestState): string | null {
  if (access !== undefined) return access.projectId;
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : null;
  return right?.kind === 'project' && typeof id === 'string' ? id : null;
}
