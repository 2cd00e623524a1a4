import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsJson } from '../presentation/accept-header.ts';
import { inUtc } from '../presentation/answers.ts';
import type { SignedIn } from './sign-in.ts';

/** The bare token, or an object (docs/spec/decisions.md#A1). */
export function tokenAnswer(request: FastifyRequest, reply: FastifyReply, { token, expiresAt }: SignedIn): unknown {
  void reply.header('cache-control', 'no-store');
  if (wantsJson(request.headers.accept)) return { token, expiresAt: inUtc(expiresAt.getTime()) };
  void reply.type('text/plain; charset=utf-8');
  return token;
}
