import { cleanText, type ColumnValue, type Condition, normalized, searchable } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import type { ListItem, ListQuery } from './views.ts';
import { gramsIn } from '../authoring/grams.ts';

type AnyQuery = ListQuery<Record<string, never>>;
type AnyWhere = Readonly<Record<string, Condition | undefined>>;
type Test = (row: object) => boolean;

/** The rows of a view by key, null for one that was deleted. */
export type RowsOfView = (view: View) => ReadonlyMap<string, object | null>;

/** The same list as that of `listStatement`, from rows in memory. */
export function listRows(view: View, rows: readonly ListItem<object>[], query: AnyQuery, others: RowsOfView): readonly ListItem<object>[] {
  const { by, direction = 'asc' }: { by?: string; direction?: 'asc' | 'desc' } = query.order ?? {};
  const sign = direction === 'asc' ? 1 : -1;
  const { after, limit } = query;
  const isListed = listingOf(view, query, others);
  const valueOf = by === undefined ? null : columnOf(view, by);
  const found: Ordered[] = [];
  for (const item of rows) {
    if (!isListed(item)) continue;
    const value = valueOf === null ? item.key : valueOf(item.row);
    if (value !== null) found.push({ item, value: comparable(value) });
  }
  found.sort((left, right) => sign * (compare(left.value, right.value) || compareText(left.item.key, right.item.key)));
  const start = after && comparable(by === undefined ? after.key : (after.value ?? null));
  const rest =
    after === undefined || start === undefined
      ? found
      : found.filter(({ item, value }) => sign * (compare(value, start) || compareText(item.key, after.key)) > 0);
  return rest.slice(0, limit ?? rest.length).map(({ item }) => item);
}

interface Ordered {
  readonly item: ListItem<object>;
  readonly value: Comparable;
}

/** The conditions of a list, prepared once for all rows. */
function listingOf(view: View, query: AnyQuery, others: RowsOfView): (item: ListItem<object>) => boolean {
  const keys = query.keys && new Set(query.keys);
  const where = matcherOf(view, query.where ?? {});
  const also = (query.also ?? []).map(({ view: other, where: wanted }) => ({ rows: others(other), matches: matcherOf(other, wanted) }));
  const summary = Object.entries(query.summary ?? {});
  const anyOf = query.anyOf?.map((wanted) => matcherOf(view, wanted));
  const hasOthers = (key: string): boolean =>
    also.every(({ rows, matches }) => {
      const found = rows.get(key) ?? null;
      return found !== null && matches(found);
    });
  return ({ key, row, isParked }) =>
    (keys?.has(key) ?? true) &&
    where(row) &&
    hasOthers(key) &&
    (isParked === true || summary.every(([name, value]) => (fieldOf(row, name) ?? null) === value)) &&
    (anyOf?.some((matches) => matches(row)) ?? true);
}

const fieldOf = (row: object, name: string): unknown => Reflect.get(row, name);

/** The value of a column, as tables compare it. */
export function columnOf(view: View, name: string): (row: object) => ColumnValue | null {
  const column = view.columns[name];
  if (column === undefined) throw new Error(`view ${view.name} has no column ${name}`);
  return (row) => normalized(column.kind, column.of(row));
}

/** Text as bytes, because tables compare it by bytes. */
type Comparable = Exclude<ColumnValue, string> | Buffer | null;

const comparable = (value: ColumnValue | null): Comparable => (typeof value === 'string' ? Buffer.from(value) : value);

function compare(left: Comparable, right: Comparable): number {
  if (left === right) return 0;
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return Buffer.compare(left, right);
  return Number(left) - Number(right);
}

const compareText = (left: string, right: string): number => (left === right ? 0 : Buffer.compare(Buffer.from(left), Buffer.from(right)));

function matcherOf(view: View, where: AnyWhere): Test {
  const tests = Object.entries(where).flatMap(([name, condition]) => (condition === undefined ? [] : testsOf(view, name, condition)));
  return (row) => tests.every((test) => test(row));
}

function testsOf(view: View, name: string, condition: Condition): readonly Test[] {
  const valueOf = columnOf(view, name);
  const kind = view.columns[name]?.kind ?? 'text';
  const given = (wanted: string | number | boolean): ColumnValue | null => normalized(kind, wanted);
  const test = (holds: (value: ColumnValue | null) => boolean): Test => {
    return (row) => holds(valueOf(row));
  };
  const tests: Test[] = [];
  if ('eq' in condition && condition.eq !== undefined) {
    const wanted = given(condition.eq);
    tests.push(test((value) => value === wanted));
  }
  if ('in' in condition && condition.in !== undefined) {
    const wanted = new Set<unknown>(condition.in.map(given));
    tests.push(test((value) => wanted.has(value)));
  }
  if ('atLeast' in condition && condition.atLeast !== undefined) {
    const { atLeast } = condition;
    tests.push(test((value) => value !== null && Number(value) >= atLeast));
  }
  if ('atMost' in condition && condition.atMost !== undefined) {
    const { atMost } = condition;
    tests.push(test((value) => value !== null && Number(value) <= atMost));
  }
  if ('has' in condition && condition.has !== undefined) {
    const { has } = condition;
    tests.push(test((value) => itemsIn(value).includes(has)));
  }
  return [...tests, ...textTestsOf(condition).map(test)];
}

/** The items of a column that holds several. */
const itemsIn = (value: ColumnValue | null): readonly (number | string)[] => (typeof value === 'object' && value !== null ? value : []);

function textTestsOf(condition: Condition): readonly ((value: ColumnValue | null) => boolean)[] {
  if ('hasAll' in condition && condition.hasAll !== undefined) {
    const wanted = condition.hasAll.map(cleanText);
    return [(value) => value !== null && wanted.every((one) => itemsIn(value).includes(one))];
  }
  if ('mayContain' in condition && condition.mayContain !== undefined) {
    const grams = gramsIn(searchable(condition.mayContain));
    return [(value) => Array.isArray(value) && grams.every((gram) => value.includes(gram))];
  }
  if ('contains' in condition && condition.contains !== undefined) {
    const part = searchable(condition.contains);
    return [(value) => typeof value === 'string' && value.includes(part)];
  }
  return [];
}
