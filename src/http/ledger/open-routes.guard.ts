import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../security/networks.ts';
import { RateLimiter } from '../auth/rate-limiter.ts';
import { applyRateLimit } from '../budgets/rate-limit.ts';
import { NotFound } from '../errors/refusals.ts';
import { statedRight } from '../rights/needs.ts';

/** Without accounts: counts each request by its network, and closes every route that is not open to all. */
@Injectable()
export class OpenRoutesGuard implements CanActivate {
  constructor(@Inject(RateLimiter) private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const state = this.limiter.count(networkOf(http.getRequest<FastifyRequest>().ip));
    applyRateLimit(http.getResponse<FastifyReply>(), state === null ? [] : [state]);
    if (statedRight(context.getHandler(), context.getClass())?.kind !== 'public') throw new NotFound();
    return true;
  }
}
