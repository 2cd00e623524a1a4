import type { Clock } from '../../kernel/clock.ts';

const MIN_STEP_MS = 5_000;

/** Compares the wall clock with a monotonic one: a difference is a clock step, or a suspended process. */
export class ClockStepDetector {
  private offset: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly monotonicNow: () => number = () => performance.now(),
  ) {}

  /** Milliseconds that the wall clock stepped since the last call; 0 for none. */
  measure(): number {
    const offset = this.clock.now() - this.monotonicNow();
    const step = this.offset === null ? 0 : offset - this.offset;
    this.offset = offset;
    return Math.abs(step) >= MIN_STEP_MS ? step : 0;
  }
}
