import { AsyncLocalStorage } from 'node:async_hooks';
import type { Views, ViewsAt } from '../../projections/views/views.ts';

/** The instant that a request asks about. */
export interface AsOf {
  /** The log position that the answer is computed at. */
  readonly n: number;
  /** Milliseconds: "now" in the answer. */
  readonly at: number;
  readonly views: Views;
}

const requested = new AsyncLocalStorage<AsOf | undefined>();

/** Everything that `work` reads is read as of that instant, by the same code that reads the present. */
export const runAsOf = <T>(instant: AsOf, work: () => T): T => requested.run(instant, work);

/** The same as of now, whatever the request asks about: rights are those of today. */
export const runNow = <T>(work: () => T): T => requested.run(undefined, work);

export const currentAsOf = (): AsOf | undefined => requested.getStore();

/** The current time, or the instant that the request asks about. */
export const requestNow = (): number => requested.getStore()?.at ?? Date.now();

/** Only measurements that were recorded until then count; undefined: all. */
export const requestedInstant = (): number | undefined => requested.getStore()?.at;

/** The current views, or those of the instant that the request asks about. */
export class RequestViews implements ViewsAt {
  constructor(private readonly views: ViewsAt) {}

  now(): Views {
    return requested.getStore()?.views ?? this.views.now();
  }

  asOf(n: number): Views {
    return this.views.asOf(n);
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    const instant = requested.getStore();
    return instant === undefined ? this.views.snapshot(work) : work(instant.views);
  }
}
