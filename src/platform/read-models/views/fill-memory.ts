import type { View } from '../authoring/define-view.ts';
import { BloomFilter } from './bloom-filter.ts';
import type { StoredRow } from './stored-row.ts';

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
