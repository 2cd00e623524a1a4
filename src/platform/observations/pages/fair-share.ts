import { type ObservationDb, type ObservationSchema, schemasOf } from '../schemas.ts';

/**
 * SQL of the level up to which each project may fill a budget (max-min fairness): where all of them together exceed it, only those that use the most are
 * trimmed, down to one level. `used` is a common table expression with a row (project, bytes) per project; `$1` is the budget. No row: nothing to trim.
 */
export const LEVEL = `
  SELECT ($1::float8 - before) / "left" AS level FROM (
    SELECT bytes::float8, (sum(bytes) OVER smallest_first - bytes)::float8 AS before, count(*) OVER () - row_number() OVER smallest_first + 1 AS "left"
    FROM used WINDOW smallest_first AS (ORDER BY bytes, project)
  ) AS filled
  WHERE bytes * "left" > $1::float8 - before ORDER BY before LIMIT 1`;

/** Each schema, which holds as many projects as another, has an equal part of the budget; returns the sum of what was deleted. */
export async function trimEach(
  db: ObservationDb,
  budgetBytes: number,
  trim: (schema: ObservationSchema, budgetBytes: number) => Promise<number>,
): Promise<number> {
  const { all } = schemasOf(db);
  let deleted = 0;
  for (const schema of all) deleted += await trim(schema, budgetBytes / all.length);
  return deleted;
}
