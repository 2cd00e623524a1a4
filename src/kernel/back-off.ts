import { setTimeout as sleep } from 'node:timers/promises';

/** Exponential backoff with jitter, so that many clients of one server do not retry in one wave. */
export class BackOff {
  private nextMs: number;

  constructor(
    private readonly firstMs: number,
    private readonly maxMs: number,
  ) {
    this.nextMs = firstMs;
  }

  reset(): void {
    this.nextMs = this.firstMs;
  }

  /** Waits for the next delay; resolves early when the signal aborts, and never rejects. */
  async wait(signal?: AbortSignal): Promise<void> {
    const milliseconds = this.nextMs * (0.75 + Math.random() / 2);
    this.nextMs = Math.min(this.nextMs * 2, this.maxMs);
    await sleep(milliseconds, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}
