import type pg from 'pg';
import { type ColumnValue, normalized } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import { columnsOf, tableOf } from './view-tables.ts';

/** A row of a view as its table holds it. */
export interface StoredRow {
  readonly key: string;
  readonly scope: string;
  /** The last event that changed it. */
  readonly n: number;
  /** Null when it was deleted. */
  readonly row: object | null;
  readonly parked: boolean;
}

/** Rows of one view by key. */
export type FoldedRows = ReadonlyMap<string, StoredRow>;

/** The values of a row's columns, in the order of its table. */
export function columnValues(view: View, row: object): readonly (ColumnValue | null)[] {
  return columnsOf(view).map(([, column]) => normalized(column.kind, column.of(row)));
}

/** As text that Postgres casts to the column's type. */
export function columnText(value: ColumnValue | null): string | null {
  if (value === null) return null;
  return typeof value === 'object' ? `{${value.map(elementText).join(',')}}` : String(value);
}

/** An element of an array literal. */
const elementText = (value: number | string): string =>
  typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;

export interface LoadedRow {
  readonly view: View;
  readonly stored: StoredRow;
  /** Bytes of its document. */
  readonly size: number;
}

interface TableRow extends Omit<StoredRow, 'n' | 'row'> {
  readonly v: number;
  readonly n: string;
  readonly doc: object | null;
  readonly size: number | null;
}

/** Many rows of many views in one round trip. */
export async function loadRows(
  db: pg.Pool | pg.PoolClient,
  schema: string,
  wanted: ReadonlyMap<View, ReadonlySet<string>>,
): Promise<readonly LoadedRow[]> {
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
