import { nextAttemptAt } from '../../platform/outbox/retry-schedule.ts';

/** This many failures in a row come from the receiver, not from the events of one project. */
const THRESHOLD = 5;

/**
 * Circuit breaker of one destination. Each scope backs off by itself, so that one that the receiver refuses does not stop the others; a receiver that fails
 * altogether gets one batch at a time (half-open), instead of one for every scope.
 */
export class Circuit {
  private failures = 0;
  private openUntil = 0;

  /** When the next batch may be sent, in milliseconds. */
  get nextAt(): number {
    return this.openUntil;
  }

  allows(now: number, inFlight: number): boolean {
    return now >= this.openUntil && (this.failures < THRESHOLD || inFlight === 0);
  }

  close(): void {
    this.failures = 0;
    this.openUntil = 0;
  }

  /** `retryAfterMs`: the Retry-After of the receiver, which holds for all of its requests. */
  fail(now: number, retryAfterMs: number | null, random: number): void {
    this.failures++;
    if (this.failures >= THRESHOLD || retryAfterMs !== null)
      this.openUntil = nextAttemptAt(Math.max(1, this.failures - THRESHOLD + 1), retryAfterMs, now, random);
  }
}
