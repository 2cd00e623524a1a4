import { LRUCache } from 'lru-cache';

/** An LRU cache of at most `most` values that takes memory as it fills: with `max`, `lru-cache` takes all of it at once, 27 bytes a value. */
export const growingCache = <Key extends string | number, Value extends object | number>(most: number): LRUCache<Key, Value> =>
  new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
