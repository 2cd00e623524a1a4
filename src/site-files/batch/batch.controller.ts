import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nothingToMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { RequestBudget } from '../../accounts/budgets/request-budget.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { tokenRight } from '../../accounts/rights/right.ts';
import { type BatchAnswer, BatchDto } from './batch.api.ts';
import { BatchRun } from './batch-run.ts';
import { CarriesOperations } from '../../platform/http/idempotency/write.interceptor.ts';

/** docs/spec/beyond.md#B12. */
@Controller('batch')
export class BatchController {
  constructor(
    private readonly run: BatchRun,
    private readonly budget: RequestBudget,
  ) {}

  /** What a caller must be allowed follows from the operations. */
  @Post()
  @CarriesOperations()
  @Needs(tokenRight)
  @HttpCode(200)
  async carryOut(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @CurrentPrincipal() caller: Principal,
    @Body() batch: BatchDto,
  ): Promise<BatchAnswer> {
    // Each operation has its own If-Match; one of the whole request would be ignored, and seem to have been compared.
    if (request.headers['if-match'] !== undefined) throw nothingToMatch();
    const answers = await this.run.answers(request, reply, caller, batch);
    this.budget.countRefused(caller, answers.filter(({ status }) => status >= 400 && status < 500 && status !== 424).length);
    return { failed: answers.filter(({ status }) => status >= 400).length, answers };
  }
}
