import { setTimeout as sleep } from 'node:timers/promises';

export interface BackOffBounds {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** Exponential back-off: the pause after so many attempts, which doubles with each. */
export const backOffOf = (attempts: number, { firstMs, mostMs }: BackOffBounds): number =>
  Math.min(mostMs, firstMs * 2 ** Math.min(attempts - 1, 30));

/** With 25 % jitter, so that many clients of one server do not retry in one wave. `random`: from 0 to 1. */
export const jittered = (milliseconds: number, random = Math.random()): number => milliseconds * (0.75 + random / 2);

/** The attempts of one loop. */
export class BackOff {
  private readonly bounds: BackOffBounds;
  private attempts = 0;

  constructor(firstMs: number, mostMs: number) {
    this.bounds = { firstMs, mostMs };
  }

  reset(): void {
    this.attempts = 0;
  }

  /** Waits for the next delay; resolves early when the signal aborts, and never rejects. */
  async wait(signal?: AbortSignal): Promise<void> {
    const milliseconds = jittered(backOffOf(++this.attempts, this.bounds));
    await sleep(milliseconds, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}
