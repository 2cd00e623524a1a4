import type { FastifyReply } from 'fastify';
import type { Limit } from '../../kernel/limits.ts';
import { RateLimited } from '../errors/refusals.ts';

/** What a request has left in the window that it was counted in. */
export interface RateLimitState {
  /** Whose window it is, as clients see it. */
  readonly policy: 'account' | 'address';
  /** Requests in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly used: number;
  readonly secondsLeft: number;
}

const LIMITS: Readonly<Record<RateLimitState['policy'], Limit>> = { account: 'requests', address: 'address' };

/** States the limit and what is left of it (`RateLimit-Policy`, `RateLimit`: draft-ietf-httpapi-ratelimit-headers), then refuses beyond it. */
export function applyRateLimit(reply: FastifyReply, { policy, limit, windowSeconds, used, secondsLeft }: RateLimitState): void {
  void reply.header('ratelimit-policy', `"${policy}";q=${String(limit)};w=${String(windowSeconds)}`);
  void reply.header('ratelimit', `"${policy}";r=${String(Math.max(0, limit - used))};t=${String(secondsLeft)}`);
  if (used > limit) throw new RateLimited(secondsLeft, LIMITS[policy]);
}
