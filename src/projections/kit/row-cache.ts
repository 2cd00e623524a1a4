import type pg from 'pg';
import type { View } from './define-view.ts';
import type { StoredRow } from './row.ts';
import { tableOf } from './view-tables.ts';

const CAPACITY = 50_000;

/** The rows that the runner wrote or read last, true for as long as nobody else moves the checkpoint. Least recently used first out. */
export class RowCache {
  private readonly rows = new Map<string, StoredRow>();

  get(view: View, key: string): StoredRow | undefined {
    const name = cacheKey(view, key);
    const stored = this.rows.get(name);
    if (stored === undefined) return undefined;
    this.rows.delete(name);
    this.rows.set(name, stored);
    return stored;
  }

  set(view: View, stored: StoredRow): void {
    const name = cacheKey(view, stored.key);
    this.rows.delete(name);
    this.rows.set(name, stored);
    if (this.rows.size <= CAPACITY) return;
    const oldest = this.rows.keys().next();
    if (oldest.done !== true) this.rows.delete(oldest.value);
  }

  delete(view: View, key: string): void {
    this.rows.delete(cacheKey(view, key));
  }

  clear(): void {
    this.rows.clear();
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
}

/** Many rows of many views in one round trip. */
export async function loadRows(
  db: pg.Pool | pg.PoolClient,
  schema: string,
  wanted: ReadonlyMap<View, ReadonlySet<string>>,
): Promise<readonly (readonly [View, StoredRow])[]> {
  const views = [...wanted.keys()];
  if (views.length === 0) return [];
  const selects = views.map(
    (view, index) =>
      `SELECT ${String(index)} AS v, key, scope, n, parked, doc FROM ${tableOf(schema, view)} WHERE key = ANY($${String(index + 1)}::text[])`,
  );
  const { rows } = await db.query<TableRow>(
    selects.join(' UNION ALL '),
    views.map((view) => [...(wanted.get(view) ?? [])]),
  );
  return rows.flatMap(({ v, key, scope, n, parked, doc }) => {
    const view = views[v];
    return view === undefined ? [] : [[view, { key, scope, n: Number(n), parked, row: doc }] as const];
  });
}
