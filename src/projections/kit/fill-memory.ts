import type { View } from './define-view.ts';
import { KeyFilter } from './key-filter.ts';
import type { StoredRow } from './row.ts';

/** The rows of one view while it is filled: those in hand, those on their way to the table, and which may be there already. */
export class FillMemory {
  private rows = new Map<string, StoredRow>();
  private dirty = new Set<string>();
  private leaving: ReadonlyMap<string, StoredRow> = new Map();
  private readonly written: KeyFilter;

  constructor(
    readonly view: View,
    resumed: boolean,
  ) {
    this.written = new KeyFilter(resumed);
  }

  get size(): number {
    return this.rows.size;
  }

  get(key: string): StoredRow | undefined {
    return this.rows.get(key) ?? this.leaving.get(key);
  }

  /** Unknown here, but the table may have it. */
  isElsewhere(key: string): boolean {
    return !this.rows.has(key) && !this.leaving.has(key) && this.written.mayHave(key);
  }

  loaded(stored: StoredRow): void {
    this.rows.set(stored.key, stored);
  }

  put(stored: StoredRow): void {
    this.rows.set(stored.key, stored);
    this.dirty.add(stored.key);
  }

  /** Hands over what has to be written, apart by whether the table may have an older row, and begins with empty hands. */
  leave(): { readonly fresh: readonly StoredRow[]; readonly known: readonly StoredRow[] } {
    const fresh: StoredRow[] = [];
    const known: StoredRow[] = [];
    for (const key of this.dirty) {
      const stored = this.rows.get(key);
      if (stored !== undefined) (this.written.mayHave(key) ? known : fresh).push(stored);
    }
    // Only now: two new keys of one hand-over may look alike to the filter.
    for (const { key } of fresh) this.written.add(key);
    this.leaving = this.rows;
    this.rows = new Map();
    this.dirty = new Set();
    return { fresh, known };
  }
}
