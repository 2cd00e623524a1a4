import { type CanActivate, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { RateLimiter, applyRateLimit } from '../accounts/budgets/rate-limit.ts';
import { ErrorFilter } from '../platform/http/errors/error.filter.ts';
import { LedgerController } from './ledger.controller.ts';
import { WitnessController } from './witness.controller.ts';
import { networkOf } from '../platform/security/networks.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { statedRight } from '../accounts/rights/needs.ts';

/** Without accounts: counts each request by its network, and closes every route that is not open to all. */
@Injectable()
class OpenRoutesGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const state = this.limiter.count(networkOf(http.getRequest<FastifyRequest>().ip));
    applyRateLimit(http.getResponse<FastifyReply>(), state === null ? [] : [state]);
    if (statedRight(context.getHandler(), context.getClass())?.kind !== 'public') throw new NotFound();
    return true;
  }
}

/** `ROLES=witness`: an installation that cosigns the logs of others, and whose own log of agreements is cosigned in turn. It has no accounts. */
@Module({
  controllers: [LedgerController, WitnessController],
  providers: [
    { provide: RateLimiter, useFactory: ({ rateLimit }: Config) => new RateLimiter(rateLimit), inject: [CONFIG] },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: OpenRoutesGuard },
  ],
})
export class WitnessModule {}
