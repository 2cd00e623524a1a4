import { type Clock, steadyClock } from '../../kernel/clock.ts';
import type { FastifyReply } from 'fastify';
import type { Limit } from '../../kernel/limits.ts';
import { RateLimited } from '../../platform/http/errors/refusals.ts';

interface FixedWindow {
  count: number;
  readonly endsAt: number;
}

const WINDOW_MS = 60_000;
const CAPACITY = 100_000;

/** A fixed-window rate limiter per process, for requests without an account: per minute and key (0: unlimited), from the first request on (docs/spec/decisions.md#G12). */
export class RateLimiter {
  private readonly windows = new Map<string, FixedWindow>();

  constructor(
    private readonly limit: number,
    private readonly clock: Clock = steadyClock,
  ) {}

  /** Counts one request; null without a limit. */
  count(key: string): RateLimitState | null {
    if (this.limit === 0) return null;
    const now = this.clock.now();
    const known = this.windows.get(key);
    const window = known === undefined || known.endsAt <= now ? this.openWindow(key, now) : known;
    window.count++;
    const secondsLeft = Math.max(1, Math.ceil((window.endsAt - now) / 1000));
    return { policy: 'address', limit: this.limit, windowSeconds: WINDOW_MS / 1000, used: window.count, secondsLeft };
  }

  /** The map is ordered by the end of windows, so expired ones are removed from its front. */
  private openWindow(key: string, now: number): FixedWindow {
    this.windows.delete(key);
    for (const [other, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < CAPACITY) break;
      this.windows.delete(other);
    }
    const window = { count: 0, endsAt: now + WINDOW_MS };
    this.windows.set(key, window);
    return window;
  }
}

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
