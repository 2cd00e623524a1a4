import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, type Observable } from 'rxjs';
import { KEYRING, type Keyring, SubjectErased } from '../../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import type { CommandContext } from '../../commands/context.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { randomId } from '../../kernel/ids.ts';
import { changesByGet } from '../context/changing-get.ts';
import { actorOf, type Principal, subjectOf } from '../context/principal.ts';
import { stateOf } from '../context/request-state.ts';
import { requestWrites } from '../context/request-writes.ts';
import { answerOf } from '../errors/answer-of.ts';
import { IdempotencyKeyReused, NotAuthenticated } from '../errors/refusals.ts';
import { afterlife } from './afterlife.ts';
import { answerKey } from './answer-key.ts';
import { IdempotencyStore, type StoredAnswer } from './idempotency-store.ts';
import { READS, type Reads } from './reads.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Gives every authenticated request that may change something its command context; the answer to a write waits until reads show it (docs/spec/decisions.md#G10),
 * and a write with an `Idempotency-Key` is carried out once (G11).
 */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    @Inject(IdempotencyStore) private readonly store: IdempotencyStore,
    @Inject(READS) private readonly reads: Reads,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const { principal } = stateOf(request);
    const changes = request.method !== 'GET' || changesByGet(request.routeOptions.url);
    if (principal === undefined || !changes) return next.handle();
    const key = answerKey(principal, request);
    if (key === null) return from(this.carryOut(request, next, contextOf(principal, randomId(), false)));
    return from(this.carryOutOnce(request, execution.switchToHttp().getResponse<FastifyReply>(), next, principal, key));
  }

  private async carryOut(request: FastifyRequest, next: CallHandler, context: Omit<CommandContext, 'wrote'>): Promise<unknown> {
    const writes = requestWrites(this.reads);
    stateOf(request).context = { ...context, ...writes };
    const answer: unknown = await firstValueFrom(next.handle(), { defaultValue: undefined });
    await writes.visible();
    return answer;
  }

  private async carryOutOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    next: CallHandler,
    principal: Principal,
    key: string,
  ): Promise<unknown> {
    const { refusal } = stateOf(request);
    if (!KEY.test(String(request.headers['idempotency-key']))) {
      throw new InvalidInput('Idempotency-Key: must be 1 to 255 visible ASCII characters');
    }
    const requestHash = await this.hashOf(request);
    const seen = await this.store.begin(key, requestHash);
    if (seen.kind === 'other') throw new IdempotencyKeyReused();
    if (seen.kind === 'answered') return this.replay(reply, principal, seen.answer);
    if (refusal !== undefined) return this.tellAfterwards(request, principal, key, seen.kind, refusal);
    // The first of a key looks for itself in the stream too: its own repeat, on another instance, may be faster.
    const context = { ...contextOf(principal, seen.commandId, true), requestHash };
    try {
      const answer = await this.carryOut(request, next, context);
      // A stream can be read once: its repeat finds the same job by the command's id, and follows it anew.
      if (!(answer instanceof Readable)) await this.remember(key, principal, 200, answer);
      return answer;
    } catch (error) {
      const refusal = answerOf(error);
      // What may go better next time is not remembered: the repeat finds what was written and waits again.
      if (refusal.status < 500 && refusal.status !== 429) await this.remember(key, principal, refusal.status, refusal.body);
      throw error;
    }
  }

  /** Nobody else is let in by it: there is nothing to carry out any more. */
  private async tellAfterwards(
    request: FastifyRequest,
    principal: Principal,
    key: string,
    seen: 'first' | 'unanswered',
    refusal: Error,
  ): Promise<object> {
    const told = seen === 'unanswered' ? afterlife(request, refusal) : null;
    if (told === null) throw refusal;
    await this.remember(key, principal, 200, told);
    return told;
  }

  /** Answers carry secrets, such as a new token: they are kept under the caller's key, and end with it. */
  private async remember(key: string, principal: Principal, status: number, body: unknown): Promise<void> {
    try {
      const { sealed } = await this.keyring.seal(subjectOf(principal), JSON.stringify(body));
      await this.store.answered(key, { status, contentType: 'application/json; charset=utf-8', body: sealed });
    } catch (error) {
      // The request was the end of its own account.
      if (!(error instanceof SubjectErased)) throw error;
    }
  }

  private async replay(reply: FastifyReply, principal: Principal, answer: StoredAnswer): Promise<unknown> {
    const body = await this.keyring.open({ subject: subjectOf(principal), sealed: answer.body });
    if (body === null) throw new NotAuthenticated();
    void reply.status(answer.status).type(answer.contentType).header('idempotency-replayed', 'true');
    return JSON.parse(body) as unknown;
  }

  /** Keyed: it stands in the log, and a request may carry a password that a bare hash would let anybody try out. */
  private async hashOf(request: FastifyRequest): Promise<string> {
    return createHmac('sha256', await this.secrets.secret('requests'))
      .update(JSON.stringify([request.url.split('?')[1] ?? '', request.body ?? null]))
      .digest('hex');
  }
}

const contextOf = (principal: Principal, commandId: string, repeat: boolean): Omit<CommandContext, 'wrote'> => ({
  actor: actorOf(principal),
  commandId,
  chain: null,
  occurredAt: new Date().toISOString(),
  repeat,
});
