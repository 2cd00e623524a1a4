import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DomainError } from '../../kernel/errors.ts';
import { derivedId } from '../../kernel/ids.ts';
import { formatTraceparent } from '../../kernel/trace-context.ts';
import { disconnectSignal } from '../../platform/http/context/disconnect-signal.ts';
import { type OperationOfBatch, runAsOperation } from '../../accounts/sign-in/operation-of-batch.ts';
import { traceOfRequest } from '../../platform/http/context/request-state.ts';
import { answerOf } from '../../platform/http/errors/answer-of.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { isObject } from '../../kernel/is-object.ts';
import { readInput } from '../../platform/http/validation/input.ts';
import { BatchOperationDto, type OperationAnswer } from './batch.api.ts';
import { claimsSlot, sessionSlot } from '../../accounts/sign-in/request-caller.ts';

/** The batch ended before the operation began. */
export class BatchInterrupted extends DomainError {
  readonly code = 'BATCH_INTERRUPTED';

  constructor(why: string) {
    super(`Not carried out, because ${why}. Send the operation again with its key.`);
  }
}

/** How the batch takes part in one of its operations. */
type OperationProgress = Pick<OperationOfBatch, 'joint' | 'onAppend'>;

/** The headers that the operations of a batch, which are requests without a socket, take over from its request. */
const FORWARDED = ['host', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];

/** The request of one batch, and how its operations are sent to the router of this process. */
export class BatchRequest {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  private readonly endsAt: number;

  constructor(
    private readonly fastify: FastifyInstance,
    private readonly request: FastifyRequest,
    reply: FastifyReply,
    { maxMs, isStopping }: { readonly maxMs: number; readonly isStopping: () => boolean },
  ) {
    this.signal = disconnectSignal(reply);
    this.endsAt = performance.now() + maxMs;
    this.isStopping = isStopping;
  }

  private readonly isStopping: () => boolean;

  /** Why no further operation begins; null: the next one may. */
  interruption(): BatchInterrupted | null {
    if (this.signal.aborted) return new BatchInterrupted('the client has disconnected');
    if (this.isStopping()) return new BatchInterrupted('the service is shutting down');
    return performance.now() < this.endsAt ? null : new BatchInterrupted('the batch took too long');
  }

  refused(error: unknown): OperationAnswer {
    const { status, headers, body } = answerOf(error, this.request.id);
    return { status, body, ...retryAfterOf(headers) };
  }

  /** Exactly as if the operation had been called alone, but for the rate limit. */
  async carryOut(given: unknown, place: number, progress: OperationProgress): Promise<OperationAnswer> {
    try {
      return await this.send(readInput(BatchOperationDto, given), place, progress);
    } catch (error) {
      return this.refused(error);
    }
  }

  private async send(operation: BatchOperationDto, place: number, progress: OperationProgress): Promise<OperationAnswer> {
    const [claims, session] = [claimsSlot.get(this.request), sessionSlot.get(this.request)];
    if (claims === undefined) throw new NotAuthenticated();
    const { method, path, body } = operation;
    const response = await runAsOperation({ claims, session, ...progress }, (marks) =>
      this.fastify.inject({
        method,
        url: `/api${path}`,
        headers: { ...this.headersOf(operation, place), ...marks },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
        remoteAddress: this.request.raw.socket.remoteAddress ?? this.request.ip,
        signal: this.signal,
      }),
    );
    const { statusCode: status, headers } = response;
    return {
      status,
      // An operation of a batch answers JSON.
      body: response.body === '' ? null : (JSON.parse(response.body) as unknown),
      ...(headers['idempotency-replayed'] === 'true' && { replayed: true }),
      ...retryAfterOf(headers),
    };
  }

  private headersOf({ key, ifMatch, body }: BatchOperationDto, place: number): Record<string, string> {
    const { headers, id } = this.request;
    const ofBatch = headers['idempotency-key'];
    const ownKey = key ?? (ofBatch === undefined ? undefined : derivedId('batch', String(ofBatch), place));
    return {
      ...Object.fromEntries(FORWARDED.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))),
      accept: 'application/json',
      'x-request-id': `${id.slice(0, 59)}.${String(place)}`,
      traceparent: formatTraceparent(traceOfRequest(this.request)),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ownKey !== undefined && { 'idempotency-key': ownKey }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    };
  }
}

function retryAfterOf(headers: Readonly<Record<string, unknown>>): { readonly retryAfter?: number } {
  const seconds = Number(headers['retry-after']);
  return Number.isInteger(seconds) && seconds > 0 ? { retryAfter: seconds } : {};
}

/** Operations on one object are carried out in their order; a project that is created is an object of its own. */
export function laneOf(given: unknown, place: number): string {
  const path = isObject(given) && typeof given['path'] === 'string' ? given['path'] : '';
  const [, kind = '', id = ''] = path.split(/[/?]/, 3);
  return kind === 'project' && id === 'create' ? `new ${String(place)}` : `${kind} ${id}`;
}
