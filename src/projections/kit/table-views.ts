import type pg from 'pg';
import type { Columns, View } from './define-view.ts';
import { listStatement } from './list-sql.ts';
import { tableOf } from './view-tables.ts';
import { type Item, KeyParked, type ListQuery, type RowsOf, type Views } from './views.ts';

interface TableRow<Row> {
  key: string;
  doc: Row;
  parked: boolean;
}

/** What the tables hold now. */
export class TableViews implements Views {
  /** The hottest query of the service: one prepared statement a view, its text made once. */
  private readonly gets = new Map<View, { readonly name: string; readonly text: string }>();

  constructor(
    private readonly db: Pick<pg.Pool, 'query'>,
    private readonly schema: string,
    readonly position: () => number,
  ) {}

  async get<Row extends object>(view: View<Row>, key: string): Promise<Row | null> {
    // No key holds what Postgres cannot, whatever somebody asks for.
    if (key.includes('\u0000')) return null;
    const { rows } = await this.db.query<{ doc: Row | null; parked: boolean }>({ ...this.getStatement(view), values: [key] });
    const found = rows[0];
    if (found === undefined) return null;
    if (found.parked) throw new KeyParked(view.name, key);
    return found.doc;
  }

  async across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>> {
    const none = views.map(() => null);
    if (key.includes('\u0000')) return none as unknown as RowsOf<Wanted>;
    const columns = views.map((_, index) => `v${String(index)}.doc AS d${String(index)}, v${String(index)}.parked AS p${String(index)}`);
    const joins = views.map(
      (view, index) => `LEFT JOIN ${tableOf(this.schema, view)} AS v${String(index)} ON v${String(index)}.key = k.key`,
    );
    const { rows } = await this.db.query<Readonly<Record<string, unknown>>>({
      name: `across_${this.schema}_${views.map(({ name }) => name).join('_')}`.slice(0, 63),
      text: `SELECT ${columns.join(', ')} FROM (SELECT $1::text AS key) AS k ${joins.join(' ')}`,
      values: [key],
    });
    const found = views.map((view, index) => {
      if (rows[0]?.[`p${String(index)}`] === true) throw new KeyParked(view.name, key);
      return rows[0]?.[`d${String(index)}`] ?? null;
    });
    // Each column is the document that its own view wrote.
    return found as unknown as RowsOf<Wanted>;
  }

  async many<Row extends object>(view: View<Row>, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    if (keys.length === 0) return new Map();
    const { rows } = await this.db.query<TableRow<Row>>({
      name: `many_${this.schema}_${view.name}`.slice(0, 63),
      text: `SELECT key, doc, parked FROM ${tableOf(this.schema, view)} WHERE key = ANY($1::text[]) AND (doc IS NOT NULL OR parked)`,
      values: [keys],
    });
    return new Map(readable(view, rows).map(({ key, row }) => [key, row]));
  }

  async list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query: ListQuery<Extras> = {},
  ): Promise<readonly Item<Row>[]> {
    const { text, values } = listStatement(this.schema, view, query);
    const { rows } = await this.db.query<TableRow<Row>>(text, [...values]);
    return readable(view, rows);
  }

  private getStatement(view: View): { readonly name: string; readonly text: string } {
    const known = this.gets.get(view);
    if (known !== undefined) return known;
    const made = {
      name: `get_${this.schema}_${view.name}`.slice(0, 63),
      text: `SELECT doc, parked FROM ${tableOf(this.schema, view)} WHERE key = $1`,
    };
    this.gets.set(view, made);
    return made;
  }
}

function readable<Row extends object>(view: { readonly name: string }, rows: readonly TableRow<Row>[]): readonly Item<Row>[] {
  return rows.map(({ key, doc, parked }) => {
    if (parked) throw new KeyParked(view.name, key);
    return { key, row: doc };
  });
}
