import { RequestSlot } from '../../platform/http/context/request-slot.ts';
import type { Signer } from '../seal/signer.ts';
import { type AskedSignature, signReceipt } from './sign-receipt.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentDigest } from '../../client/proofs/receipt/verify-receipt.ts';
import { formatStatementHeader } from '../../client/proofs/receipt/statement-header.ts';
import { isOfLog } from '../../platform/http/as-of/as-of-routes.ts';
import { asOfSlot, positionSlot, principalSlot } from '../../platform/http/context/request-state.ts';

/** The signature over the answer that the request asks for (docs/spec/beyond.md#B22). */
export interface RequestedReceipt {
  readonly asked: AskedSignature;
  readonly signers: readonly Signer[];
  /** Milliseconds: when it was asked. */
  readonly at: number;
}

export const receiptSlot = new RequestSlot<RequestedReceipt>('receipt');

export interface SigningOptions {
  /** Version of the program. */
  readonly program: string;
  /** Its path stands before every path that a client asks for; a proxy removes it. */
  readonly publicUrl: string | undefined;
}

/**
 * Signs the answers whose requests ask for it with `Accept-Signature`. Only a 200 with a body of known bytes: a refusal and a 304 state nothing about the
 * log, and the bytes of a stream are not known before it ends. Call after the hooks that change an answer.
 */
export function signAnswers(fastify: FastifyInstance, { program, publicUrl }: SigningOptions): void {
  const prefix = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (receiptSlot.get(request) === undefined || reply.statusCode !== 200 || !(typeof payload === 'string' || Buffer.isBuffer(payload))) {
      done(null, payload);
      return;
    }
    try {
      reply.headers(signedFields(request, reply, payload, { program, prefix }));
    } catch (error) {
      done(error instanceof Error ? error : new Error('the answer could not be signed'));
      return;
    }
    done(null, payload);
  });
}

interface Context {
  readonly program: string;
  readonly prefix: string;
}

/** The header fields of the signed answer. */
function signedFields(
  request: FastifyRequest,
  reply: FastifyReply,
  body: string | Buffer,
  { program, prefix }: Context,
): Readonly<Record<string, string>> {
  const [receipt, principal, asOf, position] = [
    receiptSlot.get(request),
    principalSlot.get(request),
    asOfSlot.get(request),
    positionSlot.get(request),
  ];
  if (receipt === undefined || principal === undefined || position === undefined) return {};
  const now = new Date();
  const stated = {
    'content-digest': contentDigest(body),
    date: now.toUTCString(),
    'watchledger-receipt': formatStatementHeader({
      statementOf: asOf !== undefined && isOfLog(request.routeOptions.url) ? 'log' : 'service',
      at: new Date(asOf?.at ?? receipt.at).toISOString(),
      account: principal.userId,
      rightsAsOf: position,
      program,
    }),
  };
  const others = ['content-type', 'watchledger-as-of', 'etag'].map((name) => [name, String(reply.getHeader(name) ?? '')] as const);
  const { method, protocol: scheme, host: authority, originalUrl } = request;
  const signature = signReceipt(receipt.asked, receipt.signers, {
    request: { method, scheme, authority, target: `${prefix}${originalUrl}` },
    status: reply.statusCode,
    headers: { ...Object.fromEntries(others), ...stated },
    created: Math.floor(now.getTime() / 1000),
  });
  return { ...stated, ...signature };
}
