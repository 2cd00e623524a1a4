import { LRUCache } from 'lru-cache';
import type { View } from '../authoring/define-view.ts';
import type { StoredRow } from './stored-row.ts';

/** In characters of JSON, about the memory that the rows take. */
const CAPACITY = 24_000_000;
/** What a row takes beside its document. */
const OVERHEAD = 300;

/** An LRU cache of the rows that the runner wrote or read, valid while no other runner moves the checkpoint. */
export class RowCache {
  private readonly rows: LRUCache<string, StoredRow>;

  constructor(capacity = CAPACITY) {
    this.rows = new LRUCache({ maxSize: capacity });
  }

  get size(): number {
    return this.rows.size;
  }

  get(view: View, key: string): StoredRow | undefined {
    return this.rows.get(cacheKey(view, key));
  }

  set(view: View, stored: StoredRow, characters: number): void {
    this.rows.set(cacheKey(view, stored.key), stored, { size: characters + OVERHEAD });
  }

  delete(view: View, key: string): void {
    this.rows.delete(cacheKey(view, key));
  }

  clear(): void {
    this.rows.clear();
  }
}

const cacheKey = (view: View, key: string): string => `${view.name}\n${key}`;
