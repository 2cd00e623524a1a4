import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessKind } from './access.events.ts';
import type { AccessRecorder, ReadOfRecord } from './access-recorder.ts';
import { actorOf } from '../../platform/http/context/principal.ts';
import { currentRecomputation } from '../../platform/http/context/recomputation.ts';
import { mayWrite } from '../../platform/http/context/request-context.ts';
import { type RequestState, stateOf } from '../../platform/http/context/request-state.ts';

/** Records exports, statements, evidence, proofs, and every read by a system role, before the answer is sent (docs/spec/beyond.md#B20). */
export function recordAccesses(fastify: FastifyInstance, recorder: Pick<AccessRecorder, 'record'>): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // A refused request leaves nothing.
    const read = reply.statusCode < 400 ? readOf(request) : null;
    if (read === null) {
      done(null, payload);
      return;
    }
    void recorder.record(read).then(() => {
      done(null, payload);
    });
  });
}

function readOf(request: FastifyRequest): ReadOfRecord | null {
  const state = stateOf(request);
  const { principal } = state;
  const kind = state.recordedAs ?? readBySystemRole(state, request);
  if (principal === undefined || kind === null || currentRecomputation() !== undefined) return null;
  return { projectId: projectIdOf(request, state), kind, actor: { ...actorOf(principal), tokenId: principal.tokenId } };
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
