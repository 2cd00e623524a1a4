import type pg from 'pg';
import { keptTables } from '../../src/backup/kept-tables.ts';

/** The rows of every table as statements, except read models, which each version fills itself. */
export async function dump(db: pg.Pool): Promise<string> {
  const lines: string[] = [];
  for (const kind of ['sample', 'run']) {
    const { rows } = await db.query<{ name: string; bounds: string }>(
      `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = $1::regclass ORDER BY 1`,
      [`${kind}_hour`],
    );
    for (const { name, bounds } of rows) lines.push(`CREATE TABLE ${name} PARTITION OF ${kind}_hour ${bounds};`);
  }
  for (const table of Object.keys(keptTables)) lines.push(...(await insertsOf(db, table)));
  return `${lines.join('\n')}\n`;
}

async function insertsOf(db: pg.Pool, table: string): Promise<readonly string[]> {
  const { rows: columns } = await db.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [table],
  );
  if (columns.length === 0) return [];
  const names = columns.map(({ name }) => name);
  const { rows } = await db.query<{ row: string }>(
    `SELECT concat_ws(', ', ${names.map((name) => `quote_nullable(${name})`).join(', ')}) AS row FROM ${table} ORDER BY 1`,
  );
  return rows.map(({ row }) => `INSERT INTO ${table} (${names.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${row});`);
}
