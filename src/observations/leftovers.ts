import type pg from 'pg';
import { idBytes, idText } from './packs/pack-kind.ts';

/** Which of these are still there. Null: that cannot be said at the moment. */
export type StillThere = (ids: readonly string[]) => Promise<ReadonlySet<string> | null>;

export interface Living {
  readonly checks: StillThere;
  readonly projects: StillThere;
}

const PAGE = 1_000;
const DAY = 86_400_000;
/** A day's bucket and its samples reach into the days beside it: their books are asked for as long as one of them has a partition. */
const REACHES = 2;

/**
 * Lets go of the latest that was seen of what was deleted, once that is past the retention; of what is still there the latest stays, however old it is.
 * Answers how many rows went.
 */
export async function dropLeftovers(pool: pg.Pool, living: Living, oldest: number): Promise<number> {
  return (await dropRuns(pool, living, oldest)) + (await dropLooks(pool, living, oldest));
}

/** A check ends with its project, of which it is not told. */
async function dropRuns(pool: pg.Pool, { checks, projects }: Living, oldest: number): Promise<number> {
  let dropped = 0;
  for (let after: Uint8Array = new Uint8Array(), full = true; full;) {
    const { rows } = await pool.query<{ check_id: Buffer; project_id: Buffer }>(
      'SELECT check_id, project_id FROM latest_run WHERE check_id > $1 AND at < $2 ORDER BY check_id LIMIT $3',
      [after, oldest, PAGE],
    );
    full = rows.length === PAGE;
    after = rows.at(-1)?.check_id ?? after;
    const [ofChecks, ofProjects] = await Promise.all([
      checks(rows.map(({ check_id }) => idText(check_id))),
      projects([...new Set(rows.map(({ project_id }) => idText(project_id)))]),
    ]);
    if (ofChecks === null || ofProjects === null) continue;
    const gone = rows.filter((row) => !ofChecks.has(idText(row.check_id)) || !ofProjects.has(idText(row.project_id)));
    const { rowCount } = await pool.query('DELETE FROM latest_run WHERE check_id = ANY ($1::bytea[]) AND at < $2', [
      gone.map(({ check_id }) => check_id),
      oldest,
    ]);
    dropped += rowCount ?? 0;
  }
  return dropped;
}

async function dropLooks(pool: pg.Pool, { projects }: Living, oldest: number): Promise<number> {
  let dropped = 0;
  for (let after: Uint8Array = new Uint8Array(), full = true; full;) {
    const { rows } = await pool.query<{ project_id: Buffer }>(
      'SELECT DISTINCT project_id FROM latest_look WHERE project_id > $1 AND at < $2 ORDER BY project_id LIMIT $3',
      [after, oldest, PAGE],
    );
    full = rows.length === PAGE;
    after = rows.at(-1)?.project_id ?? after;
    const ids = rows.map(({ project_id }) => idText(project_id));
    const there = await projects(ids);
    if (there === null) continue;
    const { rowCount } = await pool.query('DELETE FROM latest_look WHERE project_id = ANY ($1::bytea[]) AND at < $2', [
      ids.filter((id) => !there.has(id)).map(idBytes),
      oldest,
    ]);
    dropped += rowCount ?? 0;
  }
  return dropped;
}

/** That a day was summed up has to be known as long as something of it was not dropped; what the sum was stands in the log. */
export async function dropBookMarks(pool: pg.Pool, oldestDay: string, firstPartition: string | undefined): Promise<void> {
  const first = firstPartition !== undefined && firstPartition < oldestDay ? firstPartition : oldestDay;
  const before = new Date(Date.parse(`${first}T00:00:00Z`) - REACHES * DAY).toISOString().slice(0, 10);
  await pool.query('DELETE FROM closed_book WHERE day < $1', [before]);
}
