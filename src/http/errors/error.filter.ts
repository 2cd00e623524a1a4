import { type ArgumentsHost, Catch, type ExceptionFilter, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { answerOf } from './answer-of.ts';

/** The one place where an error becomes an answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const answer = answerOf(error);
    if (answer.unforeseen) this.logger.error(error);
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}
