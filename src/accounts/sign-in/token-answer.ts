import type { FastifyReply, FastifyRequest } from 'fastify';
import { wantsJson } from '../../platform/http/presentation/accept-header.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { SignedIn } from './sign-in.ts';
import type { TokenSigner } from './token-signer.ts';

/** The bare token, or an object (docs/spec/decisions.md#A1). */
export function tokenAnswer(
  signer: Pick<TokenSigner, 'sign'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { userId, tokenId, ...times }: SignedIn,
): unknown {
  const token = signer.sign(userId, tokenId, times);
  void reply.header('cache-control', 'no-store');
  if (wantsJson(request.headers.accept)) return { token, expiresAt: inUtc(times.expiresAt.getTime()) };
  void reply.type('text/plain; charset=utf-8');
  return token;
}
