import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import { DomainError } from '../../../kernel/errors.ts';
import { LimitMeter } from '../../../kernel/limits.ts';
import { Outages } from '../../telemetry/health/outages.ts';
import { hidesProjectsSlot, traceOfRequest } from '../context/request-state.ts';
import { answerOf } from './answer-of.ts';
import { Forbidden } from './refusals.ts';

/** Maps every error to an answer, and counts the refusals of limits. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    @Inject(Outages) private readonly outages: Pick<Outages, 'report'>,
    private readonly meter: LimitMeter,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const request = http.getRequest<FastifyRequest>();
    const answer = answerOf(isGone(error, request) ? new Forbidden() : error, request.id);
    if (isOutage(error, answer.status, request)) this.outages.report(error);
    if (answer.limit !== undefined) this.meter.refused(answer.limit);
    if (answer.unforeseen && !isDisconnect(error, request))
      this.logger.error({ err: error, requestId: request.id, traceId: traceOfRequest(request).traceId });
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}

/** Not a refusal that quotes a path with such a word, nor a client that disconnected while it sent its body. */
const isOutage = (error: unknown, status: number, request: FastifyRequest): boolean =>
  status >= 500 && request.raw.complete && isTransientDatabaseError(error);

/** The client left while its answer was written. */
const isDisconnect = (error: unknown, { raw }: FastifyRequest): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed;

/** The project was deleted after the guard saw it: the same answer as to an unknown id (docs/spec/decisions.md#G6). */
function isGone(error: unknown, request: FastifyRequest): boolean {
  return error instanceof DomainError && error.code === 'PROJECT_NOT_FOUND' && hidesProjectsSlot.get(request) === true;
}
