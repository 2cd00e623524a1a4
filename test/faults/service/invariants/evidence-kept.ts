import { PostgresRuns } from '../../../../src/platform/observations/runs/postgres-runs.ts';
import type { Invariant, ExpectedState } from './invariant.ts';

interface Verdict {
  readonly type: string;
  readonly scope: string;
  readonly data: string;
}

interface Evidence {
  readonly checkId: string;
  readonly evidence: { readonly at: string };
}

/** The run behind each verdict of the log was kept. */
export const evidenceKept: Invariant = async ({ pool, observationPool }) => {
  const runs = new PostgresRuns(observationPool);
  const { rows } = await pool.query<Verdict>(
    `SELECT type, scope, data FROM log WHERE stream LIKE 'verdict-%' AND data LIKE '%"evidence"%'`,
  );
  const missing: string[] = [];
  for (const { type, scope, data } of rows) {
    const { checkId, evidence } = JSON.parse(data) as Evidence;
    const at = Date.parse(evidence.at);
    const found = await runs.between(scope.replace('project-', ''), at, at + 1, checkId);
    if (found.length === 0) missing.push(`${type} of the check ${checkId} was made from a run that was not kept: ${evidence.at}`);
  }
  return missing;
};

/** A finished job has as many results as it states. */
export const jobsComplete: Invariant = async ({ pool, observationPool }: ExpectedState) => {
  const { rows: ended } = await pool.query<{ job: string; total: number }>(
    `SELECT data::json ->> 'jobId' AS job, (data::json ->> 'total')::int AS total
     FROM log WHERE type = 'JobEnded' AND data::json ->> 'because' = 'done'`,
  );
  const { rows: runs } = await observationPool.query<{ job: string; kept: number }>(
    `SELECT encode(job_id, 'hex') AS job, count(*)::int AS kept FROM job_run GROUP BY job_id`,
  );
  const kept = new Map(runs.map((row) => [row.job, row.kept]));
  return ended
    .filter(({ job, total }) => total !== (kept.get(job) ?? 0))
    .map(({ job, total }) => `the job ${job} states ${String(total)} results and has ${String(kept.get(job) ?? 0)}`);
};
