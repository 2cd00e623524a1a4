import { AsyncLocalStorage } from 'node:async_hooks';
import type { Views, ViewsAt } from '../../read-models/views/views.ts';

/** The instant that a request asks about. */
export interface AsOf {
  /** The log position that the answer is computed at. */
  readonly n: number;
  /** Milliseconds: "now" in the answer. */
  readonly at: number;
  readonly views: Views;
}

interface OpenRequest {
  /** Undefined until the rights of its caller are known. */
  asOf: AsOf | undefined;
}

const requested = new AsyncLocalStorage<OpenRequest | undefined>();
let inUse = 0;

/**
 * Begins a request that may ask about an instant, which `enterInstant` sets; the returned function ends it. While no such request is under way the storage
 * is disabled: in Node 20 one in use makes every promise of the process slower.
 */
export function beginRequest(work: () => void): () => void {
  inUse++;
  requested.run({ asOf: undefined }, work);
  return () => {
    if (--inUse === 0) requested.disable();
  };
}

/** From now on the request reads as of that instant, by the same code that reads the present. */
export function enterInstant(asOf: AsOf): void {
  const request = requested.getStore();
  if (request === undefined) throw new Error('this request was not begun as one that may ask about an instant');
  request.asOf = asOf;
}

/** The same as of now, whatever the request asks about: rights are those of today. */
export const runNow = <T>(work: () => T): T => requested.run(undefined, work);

export const currentAsOf = (): AsOf | undefined => requested.getStore()?.asOf;

/** The current time, or the instant that the request asks about. */
export const requestNow = (): number => currentAsOf()?.at ?? Date.now();

/** Only measurements that were recorded until then count; undefined for all. */
export const requestedInstant = (): number | undefined => currentAsOf()?.at;

/** The current views, or those of the instant that the request asks about. */
export class RequestViews implements ViewsAt {
  constructor(private readonly views: ViewsAt) {}

  now(): Views {
    return currentAsOf()?.views ?? this.views.now();
  }

  asOf(n: number): Views {
    return this.views.asOf(n);
  }

  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T> {
    const instant = currentAsOf();
    return instant === undefined ? this.views.snapshot(work) : work(instant.views);
  }
}
