import { type Clock, steadyClock } from '../../kernel/clock.ts';
import type { RateLimitState } from '../budgets/rate-limit.ts';

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
