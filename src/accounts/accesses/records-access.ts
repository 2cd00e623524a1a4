import { SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccessKind } from './access.events.ts';
import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AccessRecorder, ReadOfRecord } from './access-recorder.ts';
import { actorOf } from '../../platform/http/context/principal.ts';
import { currentRecomputation } from '../../platform/http/context/recomputation.ts';
import { mayWrite } from '../../platform/http/context/request-context.ts';
import { rightSlot } from '../rights/request-right.ts';
import { namedIdsSlot, principalSlot } from '../../platform/http/context/request-state.ts';

const KIND = 'watchledger:records-access';
const reflector = new Reflector();

/** Every answer of the route, or of the routes of a controller, leaves an event of this kind (docs/spec/beyond.md#B20). */
export const RecordsAccess = (kind: AccessKind): ClassDecorator & MethodDecorator => SetMetadata(KIND, kind);

/** What the answer of a request counts as among the reads of the record, as its route states it. */
export const recordedAsSlot = new RequestSlot<AccessKind>('kind of access');

type Annotated = Parameters<Reflector['get']>[1];

export const recordedKind = (handler: Annotated, controller: Annotated): AccessKind | undefined =>
  reflector.getAllAndOverride<AccessKind | undefined>(KIND, [handler, controller]);

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
  const principal = principalSlot.get(request);
  const kind = recordedAsSlot.get(request) ?? readBySystemRole(request);
  if (principal === undefined || kind === null || currentRecomputation() !== undefined) return null;
  return { projectId: projectIdOf(request), kind, actor: { ...actorOf(principal), tokenId: principal.tokenId } };
}

/** An auditor changes nothing, so whatever it asks of a project is a read. */
function readBySystemRole(request: FastifyRequest): AccessKind | null {
  const { method, routeOptions } = request;
  const { url } = routeOptions;
  const right = rightSlot.get(request);
  const isAuditor = principalSlot.get(request)?.systemRole === 'auditor';
  if (right?.kind === 'project') return isAuditor ? 'read' : null;
  if (right?.kind === 'system' || (right?.kind === 'caller' && isAuditor)) return mayWrite(method, url) ? null : 'read';
  return null;
}

/** A deleted project is named by the path alone. */
function projectIdOf(request: FastifyRequest): string | null {
  const { projectId } = namedIdsSlot.get(request) ?? {};
  if (projectId !== undefined) return projectId;
  const { params } = request;
  const right = rightSlot.get(request);
  const id = typeof params === 'object' && params !== null && 'id' in params ? params.id : null;
  return right?.kind === 'project' && typeof id === 'string' ? id : null;
}
