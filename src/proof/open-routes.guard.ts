import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../platform/security/networks.ts';
import { RateLimiter } from '../accounts/sign-in/rate-limiter.ts';
import { applyRateLimit } from '../accounts/budgets/rate-limit.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { statedRight } from '../accounts/rights/needs.ts';

/** Without accounts: counts each request by its network, and closes every route that is not open to all. */
@Injectable()
export class OpenRoutesGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const state = this.limiter.count(networkOf(http.getRequest<FastifyRequest>().ip));
    applyRateLimit(http.getResponse<FastifyReply>(), state === null ? [] : [state]);
    if (statedRight(context.getHandler(), context.getClass())?.kind !== 'public') throw new NotFound();
    return true;
  }
}
