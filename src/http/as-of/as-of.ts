import { AsyncLocalStorage } from 'node:async_hooks';
import type { Views, ViewsAt } from '../../projections/views/views.ts';

/** The instant that a request asks about. */
export interface AsOf {
  /** The position in the log that the answer stands on. */
  readonly n: number;
  /** Milliseconds: what "now" means in the answer. */
  readonly at: number;
  readonly views: Views;
}

const asked = new AsyncLocalStorage<AsOf>();

/** Everything that the work reads, it reads as of that instant, through the same code that reads today's. */
export const runAsOf = <T>(instant: AsOf, work: () => T): T => asked.run(instant, work);

export const currentAsOf = (): AsOf | undefined => asked.getStore();

/** Now, or the instant that the request asks about. */
export const requestNow = (): number => asked.getStore()?.at ?? Date.now();

/** The views of a request: those of now, unless it asks about an instant. */
export class RequestViews implements ViewsAt {
  constructor(private readonly views: ViewsAt) {}

  now(): Views {
    return asked.getStore()?.views ?? this.views.now();
  }

  asOf(n: number): Views {
    return this.views.asOf(n);
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    const instant = asked.getStore();
    return instant === undefined ? this.views.snapshot(work) : work(instant.views);
  }
}
