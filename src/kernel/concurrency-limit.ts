import { DomainError } from './errors.ts';

/** Backpressure: the queue of a concurrency limit is full. */
export class QueueFull extends DomainError {
  readonly code = 'TOO_MANY_WAIT';

  constructor() {
    super('Too many requests are already waiting for this. Retry shortly.');
  }
}

export interface ConcurrencyLimitOptions {
  /** Callers beyond it are refused with `QueueFull`; unlimited by default. */
  readonly maxQueue?: number;
  /** A monotonic clock in milliseconds; a simulation brings its own. */
  readonly monotonicNow?: () => number;
}

interface Waiter {
  readonly since: number;
  readonly start: () => void;
}

/** A counting semaphore with a bounded first-in, first-out queue. */
export class ConcurrencyLimit {
  private readonly waiters: Waiter[] = [];
  private readonly maxQueue: number;
  private readonly monotonicNow: () => number;
  private free: number;
  /** Callers refused since the start. */
  refused = 0;

  constructor(max: number, { maxQueue = Infinity, monotonicNow = () => performance.now() }: ConcurrencyLimitOptions = {}) {
    this.free = max;
    this.maxQueue = maxQueue;
    this.monotonicNow = monotonicNow;
  }

  get queued(): number {
    return this.waiters.length;
  }

  /** How long the oldest waiter has waited, in milliseconds. */
  get queuedMs(): number {
    const [oldest] = this.waiters;
    return oldest === undefined ? 0 : this.monotonicNow() - oldest.since;
  }

  /** Starts `work` synchronously while a permit is free. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free--;
    else await this.queueUp();
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Resolves with the function that gives the permit back; calling it twice is harmless. */
  async acquire(): Promise<() => void> {
    if (this.free > 0) this.free--;
    else await this.queueUp();
    let isHeld = true;
    return () => {
      if (isHeld) this.release();
      isHeld = false;
    };
  }

  private queueUp(): Promise<void> {
    if (this.waiters.length >= this.maxQueue) {
      this.refused++;
      throw new QueueFull();
    }
    return new Promise((start) => this.waiters.push({ since: this.monotonicNow(), start }));
  }

  /** Passes the permit straight to the oldest waiter, so that no newcomer overtakes it. */
  private release(): void {
    const next = this.waiters.shift();
    if (next === undefined) this.free++;
    else next.start();
  }
}
