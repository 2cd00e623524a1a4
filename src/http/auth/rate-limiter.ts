import { type Clock, steadyClock } from '../../kernel/clock.ts';

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

  /** Counts one request. Answers 0, or the seconds to wait when the limit is exceeded. */
  count(key: string): number {
    if (this.limit === 0) return 0;
    const now = this.clock.now();
    const known = this.windows.get(key);
    if (known === undefined || known.endsAt <= now) {
      this.openWindow(key, now);
      return 0;
    }
    known.count++;
    return known.count > this.limit ? Math.max(1, Math.ceil((known.endsAt - now) / 1000)) : 0;
  }

  /** The map is ordered by the end of windows, so expired ones are removed from its front. */
  private openWindow(key: string, now: number): void {
    this.windows.delete(key);
    for (const [other, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < CAPACITY) break;
      this.windows.delete(other);
    }
    this.windows.set(key, { count: 1, endsAt: now + WINDOW_MS });
  }
}
