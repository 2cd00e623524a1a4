import type { View } from '../authoring/define-view.ts';
import { BloomFilter } from './bloom-filter.ts';
import type { StoredRow } from './row.ts';

/** The rows of one view while it is filled: those in hand, those on their way to the table, and which may be there already. */
export class FillMemory {
  private changed = new Map<string, StoredRow>();
  private loadedRows = new Map<string, StoredRow>();
  private leaving: ReadonlyMap<string, StoredRow> = new Map();
  private readonly written: BloomFilter;

  constructor(
    readonly view: View,
    resumed: boolean,
  ) {
    this.written = new BloomFilter(resumed);
  }

  get size(): number {
    return this.changed.size + this.loadedRows.size;
  }

  get(key: string): StoredRow | undefined {
    return this.changed.get(key) ?? this.loadedRows.get(key) ?? this.leaving.get(key);
  }

  /** Unknown here, but the table may have it. The filter is asked first: of most keys that are new it knows that nobody has them. */
  isElsewhere(key: string): boolean {
    return this.written.mayHave(key) && this.get(key) === undefined;
  }

  loaded(stored: StoredRow): void {
    this.loadedRows.set(stored.key, stored);
  }

  put(stored: StoredRow): void {
    this.changed.set(stored.key, stored);
  }

  /** Hands over what has to be written, apart by whether the table may have an older row, and begins with empty hands. */
  leave(): { readonly fresh: readonly StoredRow[]; readonly known: readonly StoredRow[] } {
    const fresh: StoredRow[] = [];
    const known: StoredRow[] = [];
    for (const stored of this.changed.values()) (this.written.mayHave(stored.key) ? known : fresh).push(stored);
    // Only now: two new keys of one hand-over may look alike to the filter.
    for (const { key } of fresh) this.written.add(key);
    this.leaving = this.changed;
    this.changed = new Map();
    this.loadedRows = new Map();
    return { fresh, known };
  }
}
