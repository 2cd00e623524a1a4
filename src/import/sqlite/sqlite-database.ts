import { declaredColumns } from './create-table.ts';
import { SqliteDamaged } from './sqlite-damaged.ts';
import type { SqliteSnapshot } from './sqlite-snapshot.ts';
import { rowsOfTable, type SqliteValue } from './sqlite-table.ts';

export type SqliteRecord = Readonly<Record<string, SqliteValue>>;

const SCHEMA_PAGE = 1;

/** The tables of a database, read from its file without SQLite (docs/decisions/sqlite-reader.md). */
export class SqliteDatabase {
  private readonly tables: ReadonlyMap<string, { readonly root: number; readonly sql: string }>;

  constructor(private readonly snapshot: SqliteSnapshot) {
    const tables = new Map<string, { readonly root: number; readonly sql: string }>();
    for (const { values } of rowsOfTable(snapshot, SCHEMA_PAGE)) {
      const [type, name, , root, sql] = values;
      if (type === 'table' && typeof name === 'string' && typeof root === 'number' && typeof sql === 'string')
        tables.set(name, { root, sql });
    }
    this.tables = tables;
  }

  has(table: string): boolean {
    return this.tables.has(table);
  }

  /** Each row by the names of its columns, all or `only` some; none for a table that does not exist. */
  *rows(table: string, only?: readonly string[]): Generator<SqliteRecord> {
    const found = this.tables.get(table);
    if (found === undefined) return;
    const columns = declaredColumns(found.sql);
    if (columns === null) throw new SqliteDamaged(`the table ${table} cannot be read`);
    const shown = columns.map((column, nth) => ({ ...column, nth })).filter(({ name }) => only?.includes(name) !== false);
    const wanted = only === undefined ? null : new Set(shown.map(({ nth }) => nth));
    for (const { rowId, values } of rowsOfTable(this.snapshot, found.root, wanted))
      yield Object.fromEntries(
        shown.map(({ name, initial, isRowId, nth }): [string, SqliteValue] => {
          const value = nth < values.length ? (values[nth] ?? null) : initial;
          return [name, isRowId && value === null ? rowId : value];
        }),
      );
  }
}
