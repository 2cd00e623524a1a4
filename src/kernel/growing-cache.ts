import { LRUCache } from 'lru-cache';

/** An LRU cache of at most `most` values that takes memory as it fills: with `max`, `lru-cache` takes all of it at once, 27 bytes a value, and time to do so. */
export const growingCache = <Key extends string | number, Value extends object | number | true>(
  most: number,
  expiry: { readonly ttl?: number; readonly ttlResolution?: number } = {},
): LRUCache<Key, Value> => new LRUCache({ maxSize: most, sizeCalculation: () => 1, ...expiry });
