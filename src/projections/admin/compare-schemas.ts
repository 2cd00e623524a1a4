import type pg from 'pg';
import type { ViewUnit } from '../views/unit.ts';
import { columnsOf, tableOf } from '../views/view-tables.ts';

export interface Difference {
  readonly view: string;
  readonly key: string;
  /** `missing`: only the replay has it; `extra`: only the table has it. */
  readonly kind: 'missing' | 'extra' | 'different';
  /** The columns that differ. */
  readonly columns: readonly string[];
}

/** Enough to see what is wrong; nobody reads a million. */
const MOST = 1_000;

/** Rows that were changed after `n` are the ones that went on meanwhile: they are not compared. */
export async function differencesOf(
  db: pg.Pool,
  unit: ViewUnit,
  live: string,
  replayed: string,
  n: number,
): Promise<readonly Difference[]> {
  const found: Difference[] = [];
  for (const view of unit.views) {
    // `json` has no equality, and an answer has to be the same to the byte.
    const columns = ['scope', 'n', 'doc', 'parked', ...columnsOf(view).map(([name]) => name)];
    const differ = columns.map((name) => `CASE WHEN l."${name}"::text IS DISTINCT FROM r."${name}"::text THEN '${name}' END`);
    const { rows } = await db.query<Omit<Difference, 'view'>>(
      `SELECT * FROM (
         SELECT coalesce(l.key, r.key) AS key,
           CASE WHEN l.key IS NULL THEN 'missing' WHEN r.key IS NULL THEN 'extra' ELSE 'different' END AS kind,
           array_remove(ARRAY[${differ.join(', ')}], NULL) AS columns
         FROM ${tableOf(live, view)} AS l FULL JOIN ${tableOf(replayed, view)} AS r ON l.key = r.key
         WHERE l.n IS NULL OR l.n <= $1) AS compared
       WHERE cardinality(columns) > 0 ORDER BY key LIMIT ${String(MOST)}`,
      [n],
    );
    found.push(...rows.map((row) => ({ view: view.name, ...row })));
  }
  return found;
}

/** Tables of which nothing is known but that they should hold the same rows. */
export async function differencesOfTables(db: pg.PoolClient, name: string, live: string, replayed: string): Promise<readonly Difference[]> {
  const { rows: tables } = await db.query<{ name: string }>('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1', [
    replayed,
  ]);
  const found: Difference[] = [];
  for (const { name: table } of tables) {
    const only = (one: string, other: string): string =>
      `SELECT t::text AS key FROM "${one}"."${table}" t EXCEPT ALL SELECT t::text FROM "${other}"."${table}" t`;
    const { rows } = await db.query<{ key: string; kind: 'missing' | 'extra' }>(
      `SELECT key, 'extra' AS kind FROM (${only(live, replayed)}) AS e UNION ALL SELECT key, 'missing' FROM (${only(replayed, live)}) AS m
       ORDER BY 1, 2 LIMIT ${String(MOST)}`,
    );
    found.push(...rows.map(({ key, kind }) => ({ view: `${name}.${table}`, key, kind, columns: [] })));
  }
  return found;
}
