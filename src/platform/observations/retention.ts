import { idBytes, idText } from './packs/pack-kind.ts';
import { DayPartitions } from './packs/day-partitions.ts';
import { ExchangeStore } from './exchanges/exchange-store.ts';
import { KeptAnswers } from './pages/kept-answers.ts';
import { KeptPages } from './pages/kept-pages.ts';
import type { PageBodies } from './pages/page-bodies.ts';
import { type ObservationPool, type ObservationSchema, schemasOf } from './schemas.ts';
import { EXCHANGES_SHARE, HEADS_SHARE, pageBytesOf } from './pages/page-budget.ts';
import { DAY_MS } from '../../kernel/time.ts';

export interface RetentionLimits {
  readonly days: number;
  /** For pages, heads and exchanges. */
  readonly keptBytes: number;
  /** The store of the bodies of pages; null when they are in the database. */
  readonly bodies?: PageBodies | null;
}

export interface RetentionResult {
  readonly dropped: readonly string[];
  /** Past the retention, but kept because the day of some project is not closed. */
  readonly refused: readonly string[];
  /** Pages that were within the retention, but beyond the budget. */
  readonly evicted: number;
}

const PAGE = 1_000;
/** Buckets and samples of a day extend into its neighbours, so their marks are needed while one of them has a partition. */
const NEIGHBOUR_DAYS = 2;

/** Deletes observations past the retention; the latest run of each existing check stays (see `deleteOrphans`). */
export async function applyRetention(
  pool: ObservationPool,
  { days, keptBytes, bodies = null }: RetentionLimits,
  now: number,
): Promise<RetentionResult> {
  const oldest = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
  const [dropped, refused]: [string[], string[]] = [[], []];
  for (const kind of ['sample', 'run'] as const) {
    const partitions = new DayPartitions(pool, kind);
    for (const day of await partitions.days()) {
      if (day >= oldest) break;
      const outcome = await partitions.drop(day);
      if (outcome === 'books open') refused.push(day);
      else dropped.push(`${kind} ${day}`);
    }
  }
  const [firstPartition] = await new DayPartitions(pool, 'sample').days();
  for (const schema of schemasOf(pool).all) {
    const books = schema.table('closed_book');
    await pool.query(`UPDATE ${books} SET buckets = NULL WHERE day < $1 AND buckets IS NOT NULL`, [oldest]);
    await pool.query(`DELETE FROM ${books} WHERE day < $1`, [firstClosedDay(oldest, firstPartition)]);
    await pool.query(`DELETE FROM ${schema.table('job_run')} WHERE at < $1`, [now - days * DAY_MS]);
  }
  const pages = new KeptPages(pool, bodies);
  const { evicted } = await pages.trim(pageBytesOf(keptBytes), days);
  await pages.deleteOrphans();
  await new KeptAnswers(pool).trim(keptBytes * HEADS_SHARE, now - days * DAY_MS);
  await new ExchangeStore(pool).trim(keptBytes * EXCHANGES_SHARE, now - days * DAY_MS);
  return { dropped, refused, evicted };
}

/** The subset of the ids that exists; null when that is unknown at the moment. */
export type ExistingIds = (ids: readonly string[]) => Promise<ReadonlySet<string> | null>;

export interface ExistenceQueries {
  readonly checks: ExistingIds;
  readonly projects: ExistingIds;
}

/** Deletes the latest runs, inspections and kept forms of deleted checks and projects once they are past the retention; returns how many rows were deleted. */
export async function deleteOrphans(pool: ObservationPool, living: ExistenceQueries, oldest: number): Promise<number> {
  let deleted = 0;
  for (const schema of schemasOf(pool).all) {
    deleted += await deleteOrphanedRuns(pool, schema, living, oldest);
    for (const table of ['latest_look', 'form_html'] as const)
      deleted += await deleteOrphansOfProjects(pool, schema.table(table), living, oldest);
  }
  return deleted;
}

/** A check also ends with its project, which leaves no event of the check. */
async function deleteOrphanedRuns(
  pool: ObservationPool,
  schema: ObservationSchema,
  { checks, projects }: ExistenceQueries,
  oldest: number,
): Promise<number> {
  const table = schema.table('latest_run');
  let deleted = 0;
  for (let after: Uint8Array = new Uint8Array(), full = true; full;) {
    const { rows } = await pool.query<{ check_id: Buffer; project_id: Buffer }>(
      `SELECT check_id, project_id FROM ${table} WHERE check_id > $1 AND at < $2 ORDER BY check_id LIMIT $3`,
      [after, oldest, PAGE],
    );
    full = rows.length === PAGE;
    after = rows.at(-1)?.check_id ?? after;
    const [ofChecks, ofProjects] = await Promise.all([
      checks(rows.map(({ check_id }) => idText(check_id))),
      projects([...new Set(rows.map(({ project_id }) => idText(project_id)))]),
    ]);
    if (ofChecks === null || ofProjects === null) continue;
    const orphans = rows.filter((row) => !ofChecks.has(idText(row.check_id)) || !ofProjects.has(idText(row.project_id)));
    const { rowCount } = await pool.query(`DELETE FROM ${table} WHERE check_id = ANY ($1::bytea[]) AND at < $2`, [
      orphans.map(({ check_id }) => check_id),
      oldest,
    ]);
    deleted += rowCount ?? 0;
  }
  return deleted;
}

async function deleteOrphansOfProjects(
  pool: ObservationPool,
  table: string,
  { projects }: ExistenceQueries,
  oldest: number,
): Promise<number> {
  let deleted = 0;
  for (let after: Uint8Array = new Uint8Array(), full = true; full;) {
    const { rows } = await pool.query<{ project_id: Buffer }>(
      `SELECT DISTINCT project_id FROM ${table} WHERE project_id > $1 AND at < $2 ORDER BY project_id LIMIT $3`,
      [after, oldest, PAGE],
    );
    full = rows.length === PAGE;
    after = rows.at(-1)?.project_id ?? after;
    const ids = rows.map(({ project_id }) => idText(project_id));
    const existing = await projects(ids);
    if (existing === null) continue;
    const { rowCount } = await pool.query(`DELETE FROM ${table} WHERE project_id = ANY ($1::bytea[]) AND at < $2`, [
      ids.filter((id) => !existing.has(id)).map(idBytes),
      oldest,
    ]);
    deleted += rowCount ?? 0;
  }
  return deleted;
}

/** A day stays marked as closed while a partition of it exists; the day's summary itself is in the log. Earlier marks are deleted. */
function firstClosedDay(oldestDay: string, firstPartition: string | undefined): string {
  const first = firstPartition !== undefined && firstPartition < oldestDay ? firstPartition : oldestDay;
  return new Date(Date.parse(`${first}T00:00:00Z`) - NEIGHBOUR_DAYS * DAY_MS).toISOString().slice(0, 10);
}
