import type pg from 'pg';
import { dropBookMarks } from './leftovers.ts';
import { DayPartitions } from './packs/day-partitions.ts';
import { KeptAnswers } from './pages/kept-answers.ts';
import { KeptPages } from './pages/kept-pages.ts';

export interface RetentionLimits {
  readonly days: number;
  readonly pageBytes: number;
}

export interface Swept {
  readonly dropped: readonly string[];
  /** Past their time, and kept because somebody's book is open. */
  readonly refused: readonly string[];
}

const DAY = 86_400_000;
/** Heads are small beside pages; without a bound of their own, those of pages that never change would outgrow them. */
const HEADS_OF_BUDGET = 0.25;

/** Lets go of what was measured longer ago than that. The latest run of each check stays (see `leftovers.ts`). */
export async function sweep(pool: pg.Pool, { days, pageBytes }: RetentionLimits, now: number): Promise<Swept> {
  const oldest = new Date(now - days * DAY).toISOString().slice(0, 10);
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
  await pool.query('UPDATE closed_book SET buckets = NULL WHERE day < $1 AND buckets IS NOT NULL', [oldest]);
  const [firstPartition] = await new DayPartitions(pool, 'sample').days();
  await dropBookMarks(pool, oldest, firstPartition);
  await pool.query('DELETE FROM job_run WHERE at < $1', [now - days * DAY]);
  await new KeptPages(pool).trim(pageBytes * (1 - HEADS_OF_BUDGET), days);
  await new KeptAnswers(pool).trim(pageBytes * HEADS_OF_BUDGET, now - days * DAY);
  return { dropped, refused };
}
