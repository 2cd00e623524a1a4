import { type ObservationDb, type ObservationSchema, schemasOf } from '../schemas.ts';

const MB = 2 ** 20;
const LEAST_MB = 1_024;
/** About a day of the pages of five checks, which are kept hourly. */
const MB_PER_PROJECT = 2;

/** The part of the budget for heads: they are small, but those of pages that never change would outgrow the pages without a budget of their own. */
export const HEADS_SHARE = 0.15;
/** The part of the budget for the requests and answers behind events. */
export const EXCHANGES_SHARE = 0.1;
const PAGES_SHARE = 1 - HEADS_SHARE - EXCHANGES_SHARE;

/** The budget of what is kept as evidence: as configured, or with the number of projects, so that the share of one does not shrink when others are added. */
export const keptBytesOf = (configuredMb: number | undefined, projects: number): number =>
  (configuredMb ?? Math.max(LEAST_MB, projects * MB_PER_PROJECT)) * MB;

/** For the bodies alone. */
export const pageBytesOf = (keptBytes: number): number => keptBytes * PAGES_SHARE;

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
