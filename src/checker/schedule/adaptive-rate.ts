const ADJUST_MS = 250;
const DECREASE = 0.5;
/** Growth is cautious near the rate that strained, and bold once that was some seconds ago: a burst beyond the limit takes seconds to work off. */
const GROWTH_STEP = 0.005;
const MAX_GROWTH = 0.2;
/** Never fewer a second: work continues, and shows when the strain has passed. Ten probes over TLS are all that a tenth of a slow core can do. */
const FLOOR = 1;
/** Unused permits are kept for so long. */
const BURST_SECONDS = 0.25;

/** A token bucket whose rate follows measured strain: halved while strained, growing while work waits, unlimited once none does. */
export class AdaptiveRate {
  /** Starts a second. */
  perSecond = Infinity;
  private tokens = 0;
  private filledAt: number;
  private adjustedAt: number;
  private startedSince = 0;
  private calmSteps = 0;

  /** Times are those of a monotonic clock, in milliseconds. */
  constructor(now: number) {
    this.filledAt = now;
    this.adjustedAt = now;
  }

  get isLimited(): boolean {
    return this.perSecond !== Infinity;
  }

  /** Call often; does something every quarter of a second, and at the first sign of strain. */
  adjust(now: number, isStrained: boolean, isWaiting: boolean): void {
    const elapsed = now - this.adjustedAt;
    if (elapsed < ADJUST_MS && (this.isLimited || !isStrained)) return;
    const observed = (this.startedSince * 1_000) / Math.max(elapsed, 1);
    this.adjustedAt = now;
    this.startedSince = 0;
    this.calmSteps = isStrained ? 0 : this.calmSteps + 1;
    if (isStrained) this.perSecond = Math.max(FLOOR, Math.min(this.perSecond, observed) * DECREASE);
    else if (isWaiting) this.perSecond *= 1 + Math.min(MAX_GROWTH, this.calmSteps * GROWTH_STEP);
    else this.perSecond = Infinity;
    // What was saved up at a higher rate would be a burst.
    this.tokens = Math.min(this.tokens, this.capacity);
  }

  /** Whether one may start now; counts it. */
  tryTake(now: number): boolean {
    if (this.isLimited) {
      this.tokens = Math.min(this.capacity, this.tokens + ((now - this.filledAt) * this.perSecond) / 1_000);
      this.filledAt = now;
      if (this.tokens < 1) return false;
      this.tokens--;
    }
    this.filledAt = now;
    this.startedSince++;
    return true;
  }

  private get capacity(): number {
    return this.isLimited ? Math.max(1, this.perSecond * BURST_SECONDS) : 0;
  }
}
