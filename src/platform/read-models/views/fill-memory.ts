import { hash32, mix32 } from '../../../kernel/hash.ts';
import type { View } from '../authoring/define-view.ts';
import type { StoredRow } from './stored-row.ts';

const BITS = 1 << 26;
const HASHES = 3;

/** A Bloom filter of 8 MiB: no false negatives, and one false positive in ten thousand among a million keys, which costs a query of the table. */
export class BloomFilter {
  private bits: Uint32Array | undefined;

  /** `everything`: answers that it may have any key. */
  constructor(private readonly everything = false) {}

  add(key: string): void {
    this.bits ??= new Uint32Array(BITS >>> 5);
    const [first, step] = hashes(key);
    for (let index = 0; index < HASHES; index++) {
      const bit = (first + Math.imul(index, step)) & (BITS - 1);
      this.bits[bit >>> 5] = (this.bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
  }

  mayHave(key: string): boolean {
    if (this.everything) return true;
    if (this.bits === undefined) return false;
    const [first, step] = hashes(key);
    for (let index = 0; index < HASHES; index++) {
      const bit = (first + Math.imul(index, step)) & (BITS - 1);
      if (((this.bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}

/** Double hashing: the step is odd, so that it shares no divisor with the number of bits. */
function hashes(key: string): readonly [number, number] {
  const first = hash32(key);
  return [first, mix32(first ^ 0x5bd1e995) | 1];
}

/** The rows of one view during a fill: those in memory, those being written, and a Bloom filter of those in the table. */
export class FillMemory {
  private changed = new Map<string, StoredRow>();
  private loadedRows = new Map<string, StoredRow>();
  private writing: ReadonlyMap<string, StoredRow> = new Map();
  /** Keys that were searched for in the table and are not there. */
  private absent = new Set<string>();
  private readonly written: BloomFilter;

  constructor(
    readonly view: View,
    isResumed: boolean,
  ) {
    this.written = new BloomFilter(isResumed);
  }

  get size(): number {
    return this.changed.size + this.loadedRows.size;
  }

  get(key: string): StoredRow | undefined {
    return this.changed.get(key) ?? this.loadedRows.get(key) ?? this.writing.get(key);
  }

  /** Not in memory, but perhaps in the table. The filter is asked first: most keys that are not in memory are new. */
  mustLoad(key: string): boolean {
    return this.written.mayHave(key) && this.get(key) === undefined && !this.absent.has(key);
  }

  addLoaded(stored: StoredRow): void {
    this.loadedRows.set(stored.key, stored);
  }

  /** After the rows of these keys were loaded. */
  noteAbsent(keys: Iterable<string>): void {
    for (const key of keys) if (this.get(key) === undefined) this.absent.add(key);
  }

  put(stored: StoredRow): void {
    this.changed.set(stored.key, stored);
  }

  /** Empties the memory; answers the changed rows, apart by whether the table may have an older row of the key. */
  takeChanged(): { readonly fresh: readonly StoredRow[]; readonly known: readonly StoredRow[] } {
    const fresh: StoredRow[] = [];
    const known: StoredRow[] = [];
    for (const stored of this.changed.values()) {
      const isFresh = this.absent.has(stored.key) || !this.written.mayHave(stored.key);
      (isFresh ? fresh : known).push(stored);
    }
    // Added last: a false positive between two new keys would make an insert an upsert.
    for (const { key } of fresh) this.written.add(key);
    this.writing = this.changed;
    this.changed = new Map();
    this.loadedRows = new Map();
    this.absent = new Set();
    return { fresh, known };
  }
}
