import type { ColumnValue } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import { normal } from '../authoring/normal.ts';
import { columnsOf } from './view-tables.ts';

/** Never part of JSON text: control characters are escaped there. One string crosses to the server far cheaper than an array of quoted ones. */
export const SEPARATOR = '\u0001';

/** The values of a row's columns, in the order of its table. */
export function extrasOf(view: View, row: object): readonly (ColumnValue | null)[] {
  return columnsOf(view).map(([, column]) => normal(column.kind, column.of(row)));
}

/** As text that Postgres casts to the column's type. */
export function asText(value: ColumnValue | null): string | null {
  if (value === null) return null;
  return typeof value === 'object' ? `{${value.join(',')}}` : String(value);
}
