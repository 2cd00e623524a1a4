import { hash32 } from './hash.ts';

interface Entry<Value> {
  readonly value: Value;
  /** Insertion order, which iteration follows. */
  readonly order: number;
}

type Bucket<Value> = ReadonlyMap<string, Entry<Value>>;

const BUCKETS = 64;
const NONE: Bucket<never> = new Map<string, never>();

const bucketOf = (key: string): number => hash32(key) % BUCKETS;

/**
 * An immutable map with structural sharing: `with` and `without` return a new map that shares all buckets but one. For states folded from many events,
 * where copying a whole map per event takes quadratic time.
 */
export class PersistentMap<Value> implements ReadonlyMap<string, Value> {
  private constructor(
    private readonly buckets: readonly Bucket<Value>[],
    readonly size: number,
    private readonly next: number,
  ) {}

  static empty<Value>(): PersistentMap<Value> {
    return new PersistentMap<Value>(
      Array.from({ length: BUCKETS }, () => NONE),
      0,
      0,
    );
  }

  static from<Value>(entries: Iterable<readonly [string, Value]>): PersistentMap<Value> {
    const buckets = Array.from({ length: BUCKETS }, () => new Map<string, Entry<Value>>());
    let order = 0;
    for (const [key, value] of entries) buckets[bucketOf(key)]?.set(key, { value, order: order++ });
    return new PersistentMap<Value>(buckets, order, order);
  }

  get(key: string): Value | undefined {
    return this.entry(key)?.value;
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined;
  }

  /** An existing key keeps its position. */
  with(key: string, value: Value): PersistentMap<Value> {
    const known = this.entry(key);
    const bucket = new Map(this.bucket(key)).set(key, { value, order: known?.order ?? this.next });
    return this.replaced(key, bucket, this.size + (known === undefined ? 1 : 0), this.next + 1);
  }

  without(key: string): PersistentMap<Value> {
    if (!this.has(key)) return this;
    const bucket = new Map(this.bucket(key));
    bucket.delete(key);
    return this.replaced(key, bucket, this.size - 1, this.next);
  }

  *entries(): MapIterator<[string, Value]> {
    const all = this.buckets.flatMap((bucket) => [...bucket]).sort(([, one], [, other]) => one.order - other.order);
    for (const [key, { value }] of all) yield [key, value];
  }

  *keys(): MapIterator<string> {
    for (const [key] of this.entries()) yield key;
  }

  *values(): MapIterator<Value> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(each: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this.entries()) each(value, key, this);
  }

  private bucket(key: string): Bucket<Value> {
    return this.buckets[bucketOf(key)] ?? NONE;
  }

  private entry(key: string): Entry<Value> | undefined {
    return this.bucket(key).get(key);
  }

  private replaced(key: string, bucket: Bucket<Value>, size: number, next: number): PersistentMap<Value> {
    return new PersistentMap(this.buckets.with(bucketOf(key), bucket), size, next);
  }
}
