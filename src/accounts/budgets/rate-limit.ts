import type { FastifyReply } from 'fastify';
import type { Limit } from '../../kernel/limits.ts';
import { RateLimited } from '../../platform/http/errors/refusals.ts';

/** What a request has left in the window that it was counted in. */
export interface RateLimitState {
  /** Whose window it is, as clients see it. */
  readonly policy: 'account' | 'token' | 'address';
  /** Requests in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly used: number;
  readonly secondsLeft: number;
}

const LIMITS: Readonly<Record<RateLimitState['policy'], Limit>> = { account: 'requests', token: 'token_requests', address: 'address' };

/** States the limits and what is left of them (`RateLimit-Policy`, `RateLimit`: draft-ietf-httpapi-ratelimit-headers), then refuses beyond one. */
export function applyRateLimit(reply: FastifyReply, states: readonly RateLimitState[]): void {
  if (states.length === 0) return;
  void reply.header('ratelimit-policy', states.map(policyItem).join(', '));
  stateWhatIsLeft(reply, states);
  const exceeded = states.find(({ used, limit }) => used > limit);
  if (exceeded !== undefined) throw new RateLimited(exceeded.secondsLeft, LIMITS[exceeded.policy]);
}

/** What is left of the limits. */
export function stateWhatIsLeft(reply: FastifyReply, states: readonly RateLimitState[]): void {
  if (states.length > 0) void reply.header('ratelimit', states.map(leftItem).join(', '));
}

const policyItem = ({ policy, limit, windowSeconds }: RateLimitState): string =>
  `"${policy}";q=${String(limit)};w=${String(windowSeconds)}`;

const leftItem = ({ policy, limit, used, secondsLeft }: RateLimitState): string =>
  `"${policy}";r=${String(Math.max(0, limit - used))};t=${String(secondsLeft)}`;
