import type pg from 'pg';
import { summariesOf } from '../authoring/summary.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { BatchedLookup, BatchedLists } from '../../postgres/batched-lookup.ts';
import { countsStatement, countStatement, firstsStatement, listStatement } from './list-sql.ts';
import { rowColumns, tableOf } from './view-tables.ts';
import { type ListItem, KeyParked, type ListQuery, type ParkedRows, type RowsOf, type Views } from './views.ts';

interface TableRow<Row> {
  key: string;
  /** Null when the first event of the row is the parked one. */
  doc: Row | null;
  parked: boolean;
  /** A field of each summary. */
  readonly [summary: string]: unknown;
}

interface ScopedRow extends TableRow<object> {
  readonly scope: string;
}

type SharedQuery = Pick<ListQuery<Record<string, never>>, 'where'>;

type AcrossRow = Readonly<Record<string, unknown>>;

/** Reads the tables. Look-ups of single keys and lists of single scopes are batched, so that requests under load share round trips. */
export class TableViews implements Views {
  private readonly gets = new Map<View, BatchedLookup<TableRow<object>>>();
  private readonly lists = new Map<View, BatchedLists<SharedQuery, ScopedRow>>();
  private readonly acrossLookups = new Map<string, BatchedLookup<AcrossRow>>();

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly schema: string,
    readonly position: () => number,
  ) {}

  prefetch(): void {
    // Each read is a query of its own.
  }

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    // Postgres holds no text with this character, and would refuse the query.
    if (key.includes('\u0000')) return null;
    const found = await getOrCreate(this.gets, view, () => new BatchedLookup<TableRow<object>>((keys) => this.rowsOf(view, keys))).load(
      key,
    );
    if (found === undefined) return null;
    if (found.parked) throw new KeyParked(view.name, key);
    // Cast: the document was written by this view.
    return found.doc === null ? null : (shown(view, { ...found, doc: found.doc }) as Row);
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    const name = views.map((view) => view.name).join('_');
    const lookup = getOrCreate(this.acrossLookups, name, () => new BatchedLookup(this.acrossQuery(name, views)));
    const row = key.includes('\u0000') ? undefined : await lookup.load(key);
    const found = views.map((view, index) => {
      if (row?.[`p${String(index)}`] === true) throw new KeyParked(view.name, key);
      const doc = row?.[`d${String(index)}`] ?? null;
      return doc === null ? null : shown(view, { ...row, doc }, `s${String(index)}_`);
    });
    // Cast: each document was written by the view at its index.
    return found as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>> {
    if (keys.length === 0) return new Map();
    const rows = await this.rowsOf(view, keys);
    return new Map(readable(view, [...rows.values()], parked).map(({ key, row }) => [key, row]));
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly ListItem<Row>[]> {
    const { scope, parked, ...rest } = query;
    // Conditions are data, which the lists of several scopes can have in common; the other options choose among the rows of one scope.
    if (scope !== undefined && Object.keys(rest).every((name) => name === 'where')) {
      const lists = getOrCreate(this.lists, view, () => this.listsOf(view));
      // Cast: the documents were written by this view.
      return readable(view, (await lists.load(scope, rest)) as readonly (ScopedRow & TableRow<Row>)[], parked);
    }
    const { text, values } = listStatement(this.schema, view, query);
    const { rows } = await this.db.query<TableRow<Row>>(text, [...values]);
    return readable(view, rows, parked);
  }

  async count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number> {
    const { text, values } = countStatement(this.schema, view, query);
    const { rows } = await this.db.query<{ readonly count: number }>(text, [...values]);
    return rows[0]?.count ?? 0;
  }

  async firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>> {
    if (groups.length === 0) return new Map();
    const { text, values } = firstsStatement(this.schema, view, column, groups, query);
    const { rows } = await this.db.query<TableRow<Row> & { readonly group: string }>(text, [...values]);
    return new Map(rows.flatMap((found) => readable(view, [found], query.parked).map(({ row }) => [found.group, row] as const)));
  }

  async counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.db.query<{ readonly value: string; readonly count: number }>(countsStatement(this.schema, view, column), [
      values,
    ]);
    return new Map(rows.map(({ value, count }) => [value, count]));
  }

  private async rowsOf<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, TableRow<Row>>> {
    const { rows } = await this.db.query<TableRow<Row>>({
      name: `get_${this.schema}_${view.name}`.slice(0, 63),
      text: `SELECT ${rowColumns(view)} FROM ${tableOf(this.schema, view)} WHERE key = ANY(${UNSEEN_KEYS}) AND (doc IS NOT NULL OR parked)`,
      values: [keys],
    });
    return new Map(rows.map((row) => [row.key, row]));
  }

  private listsOf(view: View): BatchedLists<SharedQuery, ScopedRow> {
    const list = async (scopes: readonly string[], query: SharedQuery): Promise<readonly ScopedRow[]> => {
      const { text, values } = listStatement(this.schema, view, { ...query, scopes }, `scope, ${rowColumns(view)}`);
      return (await this.db.query<ScopedRow>(text, [...values])).rows;
    };
    return new BatchedLists(list, ({ scope }) => scope);
  }

  private acrossQuery(name: string, views: readonly View[]): (keys: readonly string[]) => Promise<ReadonlyMap<string, AcrossRow>> {
    const columns = views.flatMap((view, index) => {
      const [v, at] = [`v${String(index)}`, String(index)];
      return [`${v}.doc AS d${at}`, `${v}.parked AS p${at}`, ...summariesOf(view).map(([field]) => `${v}."${field}" AS "s${at}_${field}"`)];
    });
    const joins = views.map((view, index) => lateral(tableOf(this.schema, view), `v${String(index)}`));
    const statement = {
      name: `across_${this.schema}_${name}`.slice(0, 63),
      text: `SELECT k.key, ${columns.join(', ')} FROM unnest(${UNSEEN_KEYS}) AS k(key) ${joins.join(' ')}`,
    };
    return async (keys) => {
      const { rows } = await this.db.query<AcrossRow & { readonly key: string }>({ ...statement, values: [keys] });
      return new Map(rows.map((row) => [row.key, row]));
    };
  }
}

/**
 * Behind a sub-select the planner does not see how many keys are asked for, so that planning for the given ones promises nothing: after five
 * executions it keeps the generic plan. Planning anew costs more than twice what reading the rows does.
 */
const UNSEEN_KEYS = '(SELECT $1::text[])::text[]';

/** `OFFSET 0` makes one index lookup for each key, instead of a join of whole tables, which the generic plan prefers otherwise. */
const lateral = (table: string, as: string): string =>
  `LEFT JOIN LATERAL (SELECT * FROM ${table} AS t WHERE t.key = k.key OFFSET 0) AS ${as} ON true`;

/** The document with the summaries of its row. */
function shown<Row extends object>(view: View, row: { readonly doc: Row } & Readonly<Record<string, unknown>>, prefix = ''): Row {
  if (view.summaries === null) return row.doc;
  return { ...row.doc, ...Object.fromEntries(summariesOf(view).map(([field]) => [field, row[`${prefix}${field}`] ?? null])) };
}

function getOrCreate<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function readable<Row extends object>(
  view: View<Row>,
  rows: readonly TableRow<Row>[],
  wanted: ParkedRows = 'refused',
): readonly ListItem<Row>[] {
  return rows.flatMap(({ key, doc, parked, ...summaries }): readonly ListItem<Row>[] => {
    if (parked && wanted === 'refused') throw new KeyParked(view.name, key);
    if (doc === null) return [];
    const row = shown(view, { ...summaries, doc });
    return [parked ? { key, row, isParked: true } : { key, row }];
  });
}
