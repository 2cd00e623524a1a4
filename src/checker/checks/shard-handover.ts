import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../platform/log/log.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import { type JobRow, jobView } from '../jobs/job.view.ts';
import { verdictView } from '../verdicts/verdict.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { CheckerContext } from '../checker.ts';
import { enabledChecks } from '../projects/watched-projects.ts';
import { AccountPace } from '../schedule/account-pace.ts';
import { type RetryOptions, retryWhileLeaseHeld } from '../shards/retry-while-lease-held.ts';
import type { CheckOfProject, RunsWithoutVerdict } from '../verdicts/runs-without-verdict.ts';
import { missedChecks } from './area-turns.ts';

export interface ShardHandoverOptions extends RetryOptions {
  readonly checker: CheckerContext;
  readonly runs: Pick<RunStore, 'latest'>;
  readonly clock: Clock;
  readonly views: Pick<Views, 'list' | 'position'>;
  readonly log: Pick<Log, 'head'>;
  readonly runsWithoutVerdict: RunsWithoutVerdict;
  readonly startJob: (job: JobRow) => void;
  readonly scheduleConfirmation: (projectId: string, checkId: string, suspectedSince: number) => void;
}

const POLL_MS = 50;
const BATCH = 500;

/** Resumes what the previous owner of a shard left: open jobs, runs without a verdict, suspected failures and missed turns. */
export class ShardHandover {
  /** After a long absence all checks were missed. */
  private readonly pace = new AccountPace();

  constructor(private readonly options: ShardHandoverOptions) {}

  resume(projectIds: readonly string[]): Promise<void> {
    const { checker } = this.options;
    const work = async (held: readonly string[]): Promise<void> => {
      await this.waitForReadModels(held);
      await this.resumeProjects(held);
    };
    return retryWhileLeaseHeld(checker, projectIds, work, this.options);
  }

  /** Later events arrive by the log; earlier ones may be in the log and not yet in the read models. */
  private async waitForReadModels(projectIds: readonly string[]): Promise<void> {
    const { checker, log, views, sleep } = this.options;
    const head = await log.head();
    while (views.position() < head && projectIds.some((projectId) => checker.leaseOf(projectId) !== undefined)) await sleep(POLL_MS);
  }

  private async resumeProjects(projectIds: readonly string[]): Promise<void> {
    const { runs, views, runsWithoutVerdict, startJob, scheduleConfirmation } = this.options;
    for (const { row } of await views.list(jobView, { where: { open: { in: projectIds } }, parked: 'as before' })) startJob(row);
    for (const { row } of await views.list(verdictView, { where: { suspected: { in: projectIds } }, parked: 'as before' }))
      scheduleConfirmation(row.projectId, row.checkId, Date.parse(row.suspectedSince ?? row.since));
    const lastRuns = new Map<string, number>();
    const checks = this.checksOf(projectIds);
    for (let from = 0; from < checks.length; from += BATCH) {
      const batch = checks.slice(from, from + BATCH);
      const latest = await runs.latest(batch);
      for (const [checkId, { at }] of latest) lastRuns.set(checkId, at);
      for (const { projectId, checkId, since } of await runsWithoutVerdict.decide(batch, latest))
        scheduleConfirmation(projectId, checkId, since);
    }
    this.scheduleMissed(projectIds, lastRuns);
  }

  private checksOf(projectIds: readonly string[]): readonly CheckOfProject[] {
    return projectIds.flatMap((projectId) => {
      const watched = this.options.checker.projects.get(projectId);
      return watched === undefined ? [] : enabledChecks(watched).map(({ id }) => ({ projectId, checkId: id }));
    });
  }

  private scheduleMissed(projectIds: readonly string[], lastRuns: ReadonlyMap<string, number>): void {
    const { checker, clock } = this.options;
    const now = clock.now();
    for (const projectId of projectIds) {
      const watched = checker.projects.get(projectId);
      if (watched === undefined) continue;
      for (const { checkId, nextDue } of missedChecks(watched, (id) => lastRuns.get(id), now)) {
        // Later than its next turn, it would only be a second run.
        const due = this.pace.dueBefore(nextDue, watched.project.payerId, now);
        if (due !== null) checker.scheduleOnce({ kind: 'again', projectId, subjectId: checkId }, due);
      }
    }
  }
}
