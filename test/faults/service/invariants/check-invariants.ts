import { setTimeout as sleep } from 'node:timers/promises';
import { everybodyTold } from './alerts-delivered.ts';
import type { Invariant, Promised } from './invariant.ts';
import { jobsWhole, observed } from './evidence-kept.ts';
import { readModels, sealed } from './derived-state.ts';
import { closedOnce, erasedForGood } from './erasure-and-closing.ts';
import { wholeLog } from './log-order.ts';
import { writtenOnce } from './writes-once.ts';

const invariants: Readonly<Record<string, Invariant>> = {
  writtenOnce,
  wholeLog,
  everybodyTold,
  observed,
  jobsWhole,
  erasedForGood,
  closedOnce,
  readModels,
  sealed,
};

const SOON_MS = 120_000;

/** What holds whatever happened: throws with all that does not. */
export async function hold(promised: Promised): Promise<void> {
  const broken: string[] = [];
  for (const [name, invariant] of Object.entries(invariants)) {
    const complaints = await invariant(promised).catch((error: unknown) => [`it could not be looked at: ${String(error)}`]);
    if (complaints.length > 0) broken.push(`${name} does not hold: ${complaints.slice(0, 5).join('; ')}`);
  }
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

/** What was begun comes to its end by itself: days that were to be closed, accounts that were to be erased. */
export async function settle({ pool, closed }: Pick<Promised, 'pool' | 'closed'>): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  for (;;) {
    const { rows } = await pool.query<{ erasing: string[]; closed: number }>(
      `SELECT ARRAY(SELECT user_id::text FROM erasures WHERE done_at IS NULL AND begun_at < now() - interval '10 seconds') AS erasing,
         (SELECT count(*)::int FROM closed_book b JOIN unnest($1::text[], $2::text[]) AS wanted (project, day)
          ON b.project_id = decode(wanted.project, 'hex') AND b.day = wanted.day::date) AS closed`,
      [closed.map(({ projectId }) => projectId), closed.map(({ day }) => day)],
    );
    const [row] = rows;
    if (row?.erasing.length === 0 && row.closed === closed.length) return;
    if (performance.now() > deadline) throw new Error(`never came to an end: ${JSON.stringify({ ...row, wanted: closed.length })}`);
    await sleep(100);
  }
}
