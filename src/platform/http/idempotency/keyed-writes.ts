import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../../kernel/errors.ts';
import { derivedId } from '../../../kernel/ids.ts';
import { IdempotencyStore, type IdempotentAnswer, type KeyedCommand } from './idempotency-store.ts';
import { BatchNotApplied } from '../../commands/joint-append.ts';
import { Keyring, SubjectErased } from '../../security/keyring/keyring.ts';
import { Secrets } from '../../security/keyring/secrets.ts';
import { type Principal, subjectOf } from '../context/principal.ts';
import { answerOf, ERROR_CODE_HEADER } from '../errors/answer-of.ts';
import { IdempotencyKeyReused, NotAuthenticated, NotFound } from '../errors/refusals.ts';
import { success } from '../presentation/answers.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { refusalSlot } from '../context/request-state.ts';

const KEY = /^[\x21-\x7e]{1,255}$/;
const DELETED_ANSWER = 'watchledger:deleted-answer';

/** The body with which a DELETE handler answers, for repeats of it; `success` unless a route says otherwise. */
export const DeletedAnswer = (body: object): MethodDecorator => SetMetadata(DELETED_ANSWER, body);

/** An answer as it is kept for repeats. */
interface StoredAnswer {
  readonly body: unknown;
  /** Present when the answer is a refusal. */
  readonly errorCode?: string | undefined;
}

/** Executes a write as this command, which is known by the hash of its request. */
export type ExecuteWrite = (command: KeyedCommand & { readonly requestHash: string }) => Promise<unknown>;

/** Idempotency keys: a write with an `Idempotency-Key` is executed once and its repeat gets the stored answer (docs/spec/decisions.md#G11). */
@Injectable()
export class KeyedWrites {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  /** The key of a client belongs to caller, method and path; that of a narrowed token to the token, which must not get answers of a wider one. Null without a key. */
  keyOf({ userId, tokenId, limits }: Principal, request: FastifyRequest): string | null {
    const header = request.headers['idempotency-key'];
    if (header === undefined) return null;
    return derivedId('idempotency', limits === null ? userId : tokenId, request.method, pathOf(request), String(header));
  }

  /**
   * Whether this write was accepted before. A write may end the caller's own rights (leaving a project, deleting a check): the guard then keeps its refusal
   * in the request's state instead of throwing it, and `once` replays the first answer.
   */
  async wasAccepted(principal: Principal, request: FastifyRequest): Promise<boolean> {
    const key = request.method === 'GET' ? null : this.keyOf(principal, request);
    return key !== null && (await this.store.knows(key));
  }

  async once(execution: ExecutionContext, principal: Principal, key: string, execute: ExecuteWrite): Promise<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    if (!KEY.test(String(request.headers['idempotency-key']))) {
      throw new InvalidInput('Idempotency-Key: must be 1 to 255 visible ASCII characters');
    }
    const requestHash = await this.hashOf(request);
    const use = await this.store.recordUse(key, requestHash);
    if (use.kind === 'other') throw new IdempotencyKeyReused();
    if (use.kind === 'answered') return this.replay(request, execution.switchToHttp().getResponse<FastifyReply>(), principal, use.answer);
    const refusal = refusalSlot.get(request);
    if (refusal !== undefined) {
      const answer = use.kind === 'unanswered' ? answerForRepeatedDelete(execution, refusal) : null;
      if (answer === null) throw refusal;
      await this.remember(key, principal, { status: 200, body: answer });
      return answer;
    }
    try {
      const answer = await execute({ commandId: use.commandId, firstTriedAfter: use.firstTriedAfter, requestHash });
      // A stream can be read once: its repeat finds the same job by the command's id, and follows it anew.
      if (!(answer instanceof Readable)) await this.remember(key, principal, { status: 200, body: answer });
      return answer;
    } catch (error) {
      const { status, headers, body } = answerOf(error, request.id);
      // Transient errors are not remembered: the repeat finds what was written and waits again. Neither is the refusal of another operation of an atomic batch.
      if (status < 500 && status !== 429 && !(error instanceof BatchNotApplied))
        await this.remember(key, principal, { status, body, errorCode: headers[ERROR_CODE_HEADER] });
      throw error;
    }
  }

  /** Answers contain secrets, such as a new token: they are sealed with the caller's key, and erased with it. */
  private async remember(key: string, principal: Principal, { status, ...answer }: StoredAnswer & { status: number }): Promise<void> {
    try {
      const { sealed } = await this.keyring.seal(subjectOf(principal), JSON.stringify(answer));
      await this.store.storeAnswer(key, { status, contentType: 'application/json; charset=utf-8', body: sealed });
    } catch (error) {
      // The request erased the caller's own account.
      if (!(error instanceof SubjectErased)) throw error;
    }
  }

  private async replay({ id }: FastifyRequest, reply: FastifyReply, principal: Principal, answer: IdempotentAnswer): Promise<unknown> {
    const opened = await this.keyring.open({ subject: subjectOf(principal), sealed: answer.body });
    if (opened === null) throw new NotAuthenticated();
    const { body, errorCode } = JSON.parse(opened) as StoredAnswer; // as `remember` sealed it
    void reply.status(answer.status).type(answer.contentType).header('idempotency-replayed', 'true');
    if (errorCode !== undefined) void reply.header(ERROR_CODE_HEADER, errorCode);
    // An error names the request that it answers.
    return errorCode !== undefined && isObject(body) && 'requestId' in body ? { ...body, requestId: id } : body;
  }

  /** Keyed, because the hash is stored in the log and a request may contain a password, which a bare hash would expose to guessing. */
  private async hashOf(request: FastifyRequest): Promise<string> {
    return createHmac('sha256', await this.secrets.secret('requests'))
      .update(JSON.stringify([request.url.split('?')[1] ?? '', request.body ?? null]))
      .digest('hex');
  }
}

/** A slash at the end does not make another path (docs/spec/decisions.md#G14). */
const pathOf = ({ url }: FastifyRequest): string => (url.split('?', 1)[0] ?? '').replace(/(?<=.)\/$/, '');

/** The answer to the repeat of a deletion that took effect but was not answered. When null, the repeat is refused as any other request. */
function answerForRepeatedDelete(execution: ExecutionContext, refusal: Error): object | null {
  const { method } = execution.switchToHttp().getRequest<FastifyRequest>();
  if (method !== 'DELETE' || !(refusal instanceof NotFound)) return null;
  const stated = Reflect.getMetadata(DELETED_ANSWER, execution.getHandler()) as object | undefined;
  return stated ?? success;
}
