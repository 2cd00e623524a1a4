import type pg from 'pg';
import type { Columns, View } from '../authoring/define-view.ts';
import { BatchedLookup } from '../../persistence/batched-lookup.ts';
import { listStatement } from './list-sql.ts';
import { tableOf } from './view-tables.ts';
import { type ListItem, KeyParked, type ListQuery, type ParkedRows, type RowsOf, type Views } from './views.ts';

interface TableRow<Row> {
  key: string;
  /** Null when the first event of the row is the parked one. */
  doc: Row | null;
  parked: boolean;
}

type AcrossRow = Readonly<Record<string, unknown>>;

/** Reads the tables. Look-ups of single keys are batched, so that requests under load share round trips. */
export class TableViews implements Views {
  private readonly gets = new Map<View, BatchedLookup<TableRow<object>>>();
  private readonly acrossLookups = new Map<string, BatchedLookup<AcrossRow>>();

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly schema: string,
    readonly position: () => number,
  ) {}

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    // Postgres holds no text with this character, and would refuse the query.
    if (key.includes('\u0000')) return null;
    const found = await getOrCreate(this.gets, view, () => new BatchedLookup<TableRow<object>>((keys) => this.rowsOf(view, keys))).load(
      key,
    );
    if (found === undefined) return null;
    if (found.parked) throw new KeyParked(view.name, key);
    // Cast: the document was written by this view.
    return found.doc as Row;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    const name = views.map((view) => view.name).join('_');
    const lookup = getOrCreate(this.acrossLookups, name, () => new BatchedLookup(this.acrossQuery(name, views)));
    const row = key.includes('\u0000') ? undefined : await lookup.load(key);
    const found = views.map((view, index) => {
      if (row?.[`p${String(index)}`] === true) throw new KeyParked(view.name, key);
      return row?.[`d${String(index)}`] ?? null;
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
    const { text, values } = listStatement(this.schema, view, query);
    const { rows } = await this.db.query<TableRow<Row>>(text, [...values]);
    return readable(view, rows, query.parked);
  }

  private async rowsOf<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, TableRow<Row>>> {
    const { rows } = await this.db.query<TableRow<Row>>({
      name: `get_${this.schema}_${view.name}`.slice(0, 63),
      text: `SELECT key, doc, parked FROM ${tableOf(this.schema, view)} WHERE key = ANY($1::text[]) AND (doc IS NOT NULL OR parked)`,
      values: [keys],
    });
    return new Map(rows.map((row) => [row.key, row]));
  }

  private acrossQuery(name: string, views: readonly View[]): (keys: readonly string[]) => Promise<ReadonlyMap<string, AcrossRow>> {
    const columns = views.map((_, index) => `v${String(index)}.doc AS d${String(index)}, v${String(index)}.parked AS p${String(index)}`);
    const joins = views.map(
      (view, index) => `LEFT JOIN ${tableOf(this.schema, view)} AS v${String(index)} ON v${String(index)}.key = k.key`,
    );
    const statement = {
      name: `across_${this.schema}_${name}`.slice(0, 63),
      text: `SELECT k.key, ${columns.join(', ')} FROM unnest($1::text[]) AS k(key) ${joins.join(' ')}`,
    };
    return async (keys) => {
      const { rows } = await this.db.query<AcrossRow & { readonly key: string }>({ ...statement, values: [keys] });
      return new Map(rows.map((row) => [row.key, row]));
    };
  }
}

function getOrCreate<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

function readable<Row extends object>(
  view: { readonly name: string },
  rows: readonly TableRow<Row>[],
  wanted: ParkedRows = 'refused',
): readonly ListItem<Row>[] {
  return rows.flatMap(({ key, doc, parked }): readonly ListItem<Row>[] => {
    if (!parked) return doc === null ? [] : [{ key, row: doc }];
    if (wanted === 'refused') throw new KeyParked(view.name, key);
    return doc === null ? [] : [{ key, row: doc, isParked: true }];
  });
}
