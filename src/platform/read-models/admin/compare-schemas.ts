import type pg from 'pg';
import type { ViewUnit } from '../views/unit.ts';
import { columnsOf, tableOf } from '../views/view-tables.ts';

export interface RowDifference {
  readonly view: string;
  readonly key: string;
  /** `missing`: only the replay has the row; `extra`: only the table in use has it. */
  readonly kind: 'missing' | 'extra' | 'different';
  /** The columns that differ. */
  readonly columns: readonly string[];
}

/** Per table: enough to find the cause. */
const MAX_DIFFERENCES = 1_000;

/** Rows that changed after `n`, while the replay ran, are not compared. */
export async function differencesOf(
  db: pg.Pool,
  unit: ViewUnit,
  live: string,
  replayed: string,
  n: number,
): Promise<readonly RowDifference[]> {
  const found: RowDifference[] = [];
  for (const view of unit.views) {
    // As text: `json` has no equality, and answers have to be the same to the byte.
    const columns = ['scope', 'n', 'doc', 'parked', ...columnsOf(view).map(([name]) => name)];
    const differ = columns.map((name) => `CASE WHEN l."${name}"::text IS DISTINCT FROM r."${name}"::text THEN '${name}' END`);
    const { rows } = await db.query<Omit<RowDifference, 'view'>>(
      `SELECT * FROM (
         SELECT coalesce(l.key, r.key) AS key,
           CASE WHEN l.key IS NULL THEN 'missing' WHEN r.key IS NULL THEN 'extra' ELSE 'different' END AS kind,
           array_remove(ARRAY[${differ.join(', ')}], NULL) AS columns
         FROM ${tableOf(live, view)} AS l FULL JOIN ${tableOf(replayed, view)} AS r ON l.key = r.key
         WHERE l.n IS NULL OR l.n <= $1) AS compared
       WHERE cardinality(columns) > 0 ORDER BY key LIMIT ${String(MAX_DIFFERENCES)}`,
      [n],
    );
    found.push(...rows.map((row) => ({ view: view.name, ...row })));
  }
  return found;
}

/** Compares tables as sets of rows, without knowing their keys. */
export async function differencesOfTables(
  db: pg.PoolClient,
  name: string,
  live: string,
  replayed: string,
): Promise<readonly RowDifference[]> {
  const { rows: tables } = await db.query<{ name: string }>('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [
    replayed,
  ]);
  const found: RowDifference[] = [];
  for (const { name: table } of tables) {
    const only = (one: string, other: string): string =>
      `SELECT t::text AS key FROM "${one}"."${table}" t EXCEPT ALL SELECT t::text FROM "${other}"."${table}" t`;
    const { rows } = await db.query<{ key: string; kind: 'missing' | 'extra' }>(
      `SELECT key, 'extra' AS kind FROM (${only(live, replayed)}) AS e UNION ALL SELECT key, 'missing' FROM (${only(replayed, live)}) AS m
       ORDER BY 1, 2 LIMIT ${String(MAX_DIFFERENCES)}`,
    );
    found.push(...rows.map(({ key, kind }) => ({ view: `${name}.${table}`, key, kind, columns: [] })));
  }
  return found;
}
