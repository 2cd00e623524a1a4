import type { FastifyRequest } from 'fastify';
import { derivedId } from '../../kernel/ids.ts';
import type { Principal } from '../context/principal.ts';

/** Under which the answer to a keyed write is kept: the key of a client belongs to caller, method and path (docs/spec/decisions.md#G11). Null: it has none. */
export function answerKey({ userId }: Principal, request: FastifyRequest): string | null {
  const header = request.headers['idempotency-key'];
  if (header === undefined) return null;
  return derivedId('idempotency', userId, request.method, request.url.split('?', 1)[0] ?? '', String(header));
}
