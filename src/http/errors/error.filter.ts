import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import { Outages } from '../../telemetry/health/outages.ts';
import { BUDGET_METER, type BudgetMeter } from '../budgets/budget-meter.ts';
import { answerOf } from './answer-of.ts';

/** Maps every error to an answer, and counts the refusals of budgets. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('http');

  constructor(
    @Inject(Outages) private readonly outages: Pick<Outages, 'report'>,
    @Inject(BUDGET_METER) private readonly meter: Pick<BudgetMeter, 'refused'>,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    const answer = answerOf(error);
    if (isTransientDatabaseError(error)) this.outages.report(error);
    if (answer.budget !== undefined) this.meter.refused(answer.budget);
    if (answer.unforeseen) this.logger.error({ err: error, requestId: http.getRequest<FastifyRequest>().id });
    if (reply.raw.headersSent) {
      reply.raw.destroy();
      return;
    }
    void reply.status(answer.status).headers(answer.headers).type('application/json; charset=utf-8').send(answer.body);
  }
}
