import { LRUCache } from 'lru-cache';

/** An LRU cache of at most `most` values that takes memory as it fills: with `max`, `lru-cache` takes all of it at once, 27 bytes a value, and time to do so. */
export const growingCache = <Key extends string | number, Value extends object | number | true>(
  most: number,
  expiry: { readonly ttl?: number; readonly ttlResolution?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...expiry });

export interface Coalesced<T> {
  (): Promise<T>;
  /** The next call reads again. */
  forget(): void;
}

/** Concurrent callers share one call, and so do callers within `keptMs` after it; a failure is not kept. */
export function coalesced<T>(read: () => Promise<T>, keptMs = 0): Coalesced<T> {
  let shared: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const reading = read();
    const end = (): void => {
      if (shared === reading) shared = undefined;
    };
    reading.then(() => (keptMs === 0 ? end() : setTimeout(end, keptMs).unref()), end);
    return reading;
  };
  const forget = (): void => {
    shared = undefined;
  };
  return Object.assign(() => (shared ??= start()), { forget });
}
