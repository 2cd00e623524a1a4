import { ConcurrencyLimit, QueueFull } from '../../kernel/concurrency-limit.ts';

/** How a queue with a bound stands. */
export interface QueueStanding {
  /** How many wait: a queue that grows is seen before it hurts. */
  readonly queued: number;
  /** How many were turned away at the bound, since the start. */
  readonly putOff: number;
}

export interface AtOnceOptions {
  /** So many at the most wait. */
  readonly longest: number;
  readonly steady?: () => number;
}

/** At most so many at once; the others in the order in which they came, and how that stands. */
export class AtOnce implements QueueStanding {
  private readonly limit: ConcurrencyLimit;
  private readonly steady: () => number;
  /** In the order in which they came. */
  private readonly waiting = new Set<{ readonly since: number }>();
  putOff = 0;

  constructor(most: number, { longest, steady = () => performance.now() }: AtOnceOptions) {
    this.limit = new ConcurrencyLimit(most, { maxQueue: longest });
    this.steady = steady;
  }

  get queued(): number {
    return this.waiting.size;
  }

  /** How long the first of them has waited, in milliseconds. */
  get queuedMs(): number {
    const [first] = this.waiting;
    return first === undefined ? 0 : this.steady() - first.since;
  }

  /** Rejects with `QueueFull`, and begins nothing, when too many wait. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const place = { since: this.steady() };
    this.waiting.add(place);
    try {
      return await this.limit.run(() => {
        this.waiting.delete(place);
        return work();
      });
    } finally {
      // It never began.
      if (this.waiting.delete(place)) this.putOff++;
    }
  }
}

export async function unlessCrowded<T>(running: Promise<T>): Promise<T | 'crowded'> {
  try {
    return await running;
  } catch (error) {
    if (error instanceof QueueFull) return 'crowded';
    throw error;
  }
}
