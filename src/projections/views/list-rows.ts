import { type ColumnValue, type Condition, normalized, searchable } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import type { ListItem, ListQuery } from './views.ts';
import { gramsIn } from '../authoring/grams.ts';

type AnyQuery = ListQuery<Record<string, never>>;
type AnyWhere = Readonly<Record<string, Condition | undefined>>;

/** The rows of a view by key, null for one that was deleted. */
export type RowsOfView = (view: View) => ReadonlyMap<string, object | null>;

/** The same list as that of `listStatement`, from rows in memory. */
export function listRows(view: View, rows: readonly ListItem<object>[], query: AnyQuery, others: RowsOfView): readonly ListItem<object>[] {
  const { by, direction = 'asc' }: { by?: string; direction?: 'asc' | 'desc' } = query.order ?? {};
  const sign = direction === 'asc' ? 1 : -1;
  const after = query.after;
  const keys = query.keys === undefined ? null : new Set(query.keys);
  const found = rows
    .filter(
      ({ key, row, isParked }) =>
        (keys?.has(key) ?? true) &&
        matches(view, row, query.where ?? {}) &&
        (query.also ?? []).every(({ view: other, where }) => {
          const found = others(other).get(key) ?? null;
          return found !== null && matches(other, found, where);
        }) &&
        (isParked === true || isSummarized(row, query.summary ?? {})) &&
        (query.anyOf?.some((where) => matches(view, row, where)) ?? true),
    )
    .map((item) => ({ item, value: by === undefined ? null : valueOf(view, by, item.row) }))
    .filter(({ value }) => by === undefined || value !== null);
  found.sort((left, right) => sign * (compare(left.value, right.value) || compare(left.item.key, right.item.key)));
  const rest =
    after === undefined
      ? found
      : found.filter(
          ({ item, value }) => sign * (compare(value, by === undefined ? null : (after.value ?? null)) || compare(item.key, after.key)) > 0,
        );
  return rest.slice(0, query.limit ?? rest.length).map(({ item }) => item);
}

const isSummarized = (row: object, wanted: Readonly<Record<string, string | null>>): boolean => {
  const fields = new Map<string, unknown>(Object.entries(row));
  return Object.entries(wanted).every(([name, value]) => (fields.get(name) ?? null) === value);
};

function valueOf(view: View, name: string, row: object): ColumnValue | null {
  const column = view.columns[name];
  if (column === undefined) throw new Error(`view ${view.name} has no column ${name}`);
  return normalized(column.kind, column.of(row));
}

/** Text compares by bytes, as in the table's collation. */
function compare(left: ColumnValue | null, right: ColumnValue | null): number {
  if (left === right) return 0;
  if (typeof left === 'string' && typeof right === 'string') return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return Number(left) - Number(right);
}

function matches(view: View, row: object, where: AnyWhere): boolean {
  return Object.entries(where).every(
    ([name, condition]) => condition === undefined || matchesCondition(view, name, valueOf(view, name, row), condition),
  );
}

function matchesCondition(view: View, name: string, value: ColumnValue | null, condition: Condition): boolean {
  const kind = view.columns[name]?.kind ?? 'text';
  const given = (wanted: string | number | boolean): ColumnValue | null => normalized(kind, wanted);
  const checks: boolean[] = [];
  if ('eq' in condition && condition.eq !== undefined) checks.push(value === given(condition.eq));
  if ('in' in condition && condition.in !== undefined) checks.push(condition.in.some((wanted) => value === given(wanted)));
  if ('atLeast' in condition && condition.atLeast !== undefined) checks.push(value !== null && Number(value) >= condition.atLeast);
  if ('atMost' in condition && condition.atMost !== undefined) checks.push(value !== null && Number(value) <= condition.atMost);
  if ('has' in condition && condition.has !== undefined) checks.push(typeof value === 'object' && value?.includes(condition.has) === true);
  return checks.every(Boolean) && matchesText(value, condition);
}

function matchesText(value: ColumnValue | null, condition: Condition): boolean {
  if ('mayContain' in condition && condition.mayContain !== undefined)
    return Array.isArray(value) && gramsIn(searchable(condition.mayContain)).every((gram) => value.includes(gram));
  if ('contains' in condition && condition.contains !== undefined)
    return typeof value === 'string' && value.includes(searchable(condition.contains));
  return true;
}
