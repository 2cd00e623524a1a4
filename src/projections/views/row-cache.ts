import type pg from 'pg';
import type { View } from '../authoring/define-view.ts';
import type { StoredRow } from './row.ts';
import { tableOf } from './view-tables.ts';

/** In characters of JSON, which is about what a row takes in memory. */
const CAPACITY = 24_000_000;
/** Of a row itself, beside its document. */
const OVERHEAD = 300;

interface Entry {
  readonly stored: StoredRow;
  readonly weight: number;
}

/** The rows that the runner wrote or read last, true for as long as nobody else moves the checkpoint. Least recently used first out. */
export class RowCache {
  private readonly rows = new Map<string, Entry>();
  private weight = 0;

  constructor(private readonly capacity = CAPACITY) {}

  get size(): number {
    return this.rows.size;
  }

  get(view: View, key: string): StoredRow | undefined {
    const name = cacheKey(view, key);
    const entry = this.rows.get(name);
    if (entry === undefined) return undefined;
    this.rows.delete(name);
    this.rows.set(name, entry);
    return entry.stored;
  }

  set(view: View, stored: StoredRow, characters: number): void {
    this.delete(view, stored.key);
    const weight = characters + OVERHEAD;
    this.rows.set(cacheKey(view, stored.key), { stored, weight });
    this.weight += weight;
    for (const [name, oldest] of this.rows) {
      if (this.weight <= this.capacity) return;
      this.rows.delete(name);
      this.weight -= oldest.weight;
    }
  }

  delete(view: View, key: string): void {
    const name = cacheKey(view, key);
    this.weight -= this.rows.get(name)?.weight ?? 0;
    this.rows.delete(name);
  }

  clear(): void {
    this.rows.clear();
    this.weight = 0;
  }
}

const cacheKey = (view: View, key: string): string => `${view.name}\n${key}`;

interface TableRow {
  v: number;
  key: string;
  scope: string;
  n: string;
  parked: boolean;
  doc: object | null;
  size: number | null;
}

export interface Loaded {
  readonly view: View;
  readonly stored: StoredRow;
  /** Of its document. */
  readonly size: number;
}

/** Many rows of many views in one round trip. */
export async function loadRows(
  db: pg.Pool | pg.PoolClient,
  schema: string,
  wanted: ReadonlyMap<View, ReadonlySet<string>>,
): Promise<readonly Loaded[]> {
  const views = [...wanted.keys()];
  if (views.length === 0) return [];
  const selects = views.map(
    (view, index) =>
      `SELECT ${String(index)} AS v, key, scope, n, parked, doc, octet_length(doc::text) AS size FROM ${tableOf(schema, view)} WHERE key = ANY($${String(index + 1)}::text[])`,
  );
  const { rows } = await db.query<TableRow>(
    selects.join(' UNION ALL '),
    views.map((view) => [...(wanted.get(view) ?? [])]),
  );
  return rows.flatMap(({ v, key, scope, n, parked, doc, size }) => {
    const view = views[v];
    return view === undefined ? [] : [{ view, stored: { key, scope, n: Number(n), parked, row: doc }, size: size ?? 0 }];
  });
}
