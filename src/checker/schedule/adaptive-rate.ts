const ADJUST_MS = 250;
/** After strain work starts at this share of the rate at which it ended meanwhile, which measures the capacity. */
const RESUMED = 0.8;
/** The time over which that rate is averaged. */
const AVERAGE_MS = 1_000;
/** Growth per step: fast up to this share of the rate that strained last, then cautious, because a burst beyond capacity takes seconds to drain, and larger with every step without strain. */
const FAST_GROWTH = 0.2;
/** With slack twice as much fits. Other work, such as the start of the process, may have strained at a rate that says nothing about the capacity. */
const GROWTH_WITH_SLACK = 1;
const FAST_UNTIL = 0.8;
const GROWTH_STEP = 0.005;
/** Never fewer a second: work continues, and shows when the strain has passed. Ten probes over TLS are all that a tenth of a slow core can do. */
const FLOOR = 1;
/** Unused permits are kept for so long. */
const BURST_SECONDS = 0.25;

export interface Load {
  readonly isStrained: boolean;
  /** At least half of the capacity is unused. */
  readonly hasSlack: boolean;
  /** More is due than may start. */
  readonly isWaiting: boolean;
}

/** A token bucket whose rate follows measured strain: the minimum until the work under way has drained, then less than ended meanwhile, growing while work waits, unlimited once none does. */
export class AdaptiveRate {
  /** Starts a second. */
  perSecond = Infinity;
  private tokens = 0;
  private filledAt: number;
  private adjustedAt: number;
  private endedSince = 0;
  private endedPerSecond = 0;
  private calmSteps = 0;
  private isStrained = false;
  private strainedAt = Infinity;

  /** Times are those of a monotonic clock, in milliseconds. */
  constructor(now: number) {
    this.filledAt = now;
    this.adjustedAt = now;
  }

  get isLimited(): boolean {
    return this.perSecond !== Infinity;
  }

  /** Call often; does something every quarter of a second, and at the first sign of strain. */
  adjust(now: number, { isStrained, hasSlack, isWaiting }: Load): void {
    const elapsed = now - this.adjustedAt;
    if (elapsed < ADJUST_MS && (this.isLimited || !isStrained)) return;
    this.endedPerSecond += ((this.endedSince * 1_000) / Math.max(elapsed, 1) - this.endedPerSecond) * Math.min(1, elapsed / AVERAGE_MS);
    this.adjustedAt = now;
    this.endedSince = 0;
    if (isStrained) {
      // A limit above what was due is no measure of capacity, and neither is a pause in which little ended, nor the strain of what is not limited yet.
      if (!this.isStrained) this.strainedAt = Math.min(this.perSecond, Math.max(this.endedPerSecond, this.strainedAt));
      this.perSecond = FLOOR;
      this.calmSteps = 0;
    } else if (!isWaiting) this.perSecond = Infinity;
    else if (this.isStrained) this.perSecond = Math.max(FLOOR, this.endedPerSecond * RESUMED);
    else this.perSecond *= 1 + (hasSlack ? GROWTH_WITH_SLACK : this.growth());
    this.isStrained = isStrained;
    // What was saved up at a higher rate would be a burst.
    this.tokens = Math.min(this.tokens, this.capacity);
  }

  ended(): void {
    this.endedSince++;
  }

  /** Refills the bucket. */
  mayStart(now: number): boolean {
    if (this.isLimited) this.tokens = Math.min(this.capacity, this.tokens + ((now - this.filledAt) * this.perSecond) / 1_000);
    this.filledAt = now;
    return !this.isLimited || this.tokens >= 1;
  }

  started(): void {
    if (this.isLimited) this.tokens--;
  }

  private growth(): number {
    if (this.perSecond < this.strainedAt * FAST_UNTIL) return FAST_GROWTH;
    return Math.min(FAST_GROWTH, ++this.calmSteps * GROWTH_STEP);
  }

  private get capacity(): number {
    return this.isLimited ? Math.max(1, this.perSecond * BURST_SECONDS) : 0;
  }
}
