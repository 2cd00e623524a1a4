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

/** Reads by key, whose results are kept for a while: concurrent callers share one read, and a failure is not kept. */
export class CachedReads<Value> {
  private readonly reads: LRUCache<string, Promise<Value>>;

  /** `keptMs` undefined: results are kept until others displace them. */
  constructor(most: number, keptMs?: number) {
    this.reads = growingCache(most, keptMs === undefined ? {} : { ttl: keptMs, ttlResolution: 0 });
  }

  /** Undefined when it has to be read. */
  known(key: string): Promise<Value> | undefined {
    return this.reads.get(key);
  }

  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.reads.get(key);
    if (known !== undefined) return known;
    const reading = read();
    this.reads.set(key, reading);
    reading.catch(() => {
      if (this.reads.peek(key) === reading) this.reads.delete(key);
    });
    return reading;
  }

  forget(key: string): void {
    this.reads.delete(key);
  }
}
