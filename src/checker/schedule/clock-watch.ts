import type { Clock } from '../../kernel/clock.ts';

const JUMP_MS = 5_000;

/** Holds the wall clock against one that never steps: a jump, or a process that was suspended, shows. */
export class ClockWatch {
  private offset: number | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly steady: () => number = () => performance.now(),
  ) {}

  /** Milliseconds that the wall clock stepped since the last look, 0 when it did not. */
  stepped(): number {
    const offset = this.clock.now() - this.steady();
    const step = this.offset === null ? 0 : offset - this.offset;
    this.offset = offset;
    return Math.abs(step) >= JUMP_MS ? step : 0;
  }
}
