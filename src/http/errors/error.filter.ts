import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerOf } from './answer-of.ts';

/** Maps every error to an answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const answer = answerOf(error);
    if (answer.unforeseen) this.logger.error({ err: error, requestId: http.getRequest<FastifyRequest>().id });
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}
