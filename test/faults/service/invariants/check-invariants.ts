import { setTimeout as sleep } from 'node:timers/promises';
import { alertsDelivered } from './alerts-delivered.ts';
import type { Invariant, ExpectedState } from './invariant.ts';
import { jobsComplete, evidenceKept } from './evidence-kept.ts';
import { readModels, sealed } from './derived-state.ts';
import { closedOnce, erasedForGood } from './erasure-and-closing.ts';
import { logOrder } from './log-order.ts';
import { writesOnce } from './writes-once.ts';

const invariants: Readonly<Record<string, Invariant>> = {
  writesOnce,
  logOrder,
  alertsDelivered,
  evidenceKept,
  jobsComplete,
  erasedForGood,
  closedOnce,
  readModels,
  sealed,
};

const SOON_MS = 120_000;

/** Checks all invariants; throws with all that are violated. */
export async function checkInvariants(promised: ExpectedState): Promise<void> {
  const broken: string[] = [];
  for (const [name, invariant] of Object.entries(invariants)) {
    const complaints = await invariant(promised).catch((error: unknown) => [`the check failed: ${String(error)}`]);
    if (complaints.length > 0) broken.push(`${name} does not hold: ${complaints.slice(0, 5).join('; ')}`);
  }
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

/** Waits until pending work has finished: days to close, accounts to erase. */
export async function waitUntilSettled({
  pool,
  observationPool,
  closed,
}: Pick<ExpectedState, 'pool' | 'observationPool' | 'closed'>): Promise<void> {
  const deadline = performance.now() + SOON_MS;
  for (;;) {
    const { rows: erasing } = await pool.query<{ id: string }>(
      `SELECT user_id::text AS id FROM erasures WHERE done_at IS NULL AND begun_at < now() - interval '10 seconds'`,
    );
    const { rowCount: books } = await observationPool.query(
      `SELECT FROM closed_book b JOIN unnest($1::text[], $2::text[]) AS wanted (project, day)
       ON b.project_id = decode(wanted.project, 'hex') AND b.day = wanted.day::date`,
      [closed.map(({ projectId }) => projectId), closed.map(({ day }) => day)],
    );
    if (erasing.length === 0 && books === closed.length) return;
    if (performance.now() > deadline)
      throw new Error(`still pending after the deadline: ${JSON.stringify({ erasing, closed: books, wanted: closed.length })}`);
    await sleep(100);
  }
}
