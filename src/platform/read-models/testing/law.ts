import { AssertionError } from 'node:assert/strict';
import type pg from 'pg';
import { rowsOf, sorted, type SpecEvent } from './projection-spec.ts';

/** What holds for every projection. `check` rejects with what is wrong; `pool` is one of a migrated database that belongs to the test alone. */
export interface Law {
  readonly says: string;
  check(events: readonly SpecEvent[], pool: pg.Pool): Promise<void>;
}

/** The rows of every table of a schema, sorted. */
export type TableRows = Readonly<Record<string, readonly string[]>>;

export async function tableRowsOf(pool: pg.Pool, schema: string): Promise<TableRows> {
  const { rows } = await pool.query<{ name: string }>('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [schema]);
  const tables: Record<string, readonly string[]> = {};
  for (const { name } of rows) tables[name] = sorted(await rowsOf(pool, `"${schema}"."${name}"`));
  return tables;
}

/** Compares two fills; the error names a row that only one of them has. */
export function assertSameTables(whose: string, ways: Readonly<Record<string, TableRows>>, hint = ''): void {
  const [[first, left] = ['', {}], [second, right] = ['', {}]] = Object.entries(ways);
  for (const table of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const [one, other] = [left[table] ?? [], right[table] ?? []];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    const only = (rows: readonly string[], without: readonly string[]): string =>
      rows.find((row) => !without.includes(row)) ?? `${String(rows.length)} rows`;
    throw new AssertionError({
      message: `${whose}: the table ${table} differs. ${first}: ${only(one, other)}; ${second}: ${only(other, one)}${hint === '' ? '' : `. ${hint}`}`,
      actual: one,
      expected: other,
    });
  }
}
