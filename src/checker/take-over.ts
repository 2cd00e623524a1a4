import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../log/log.ts';
import type { RunStore } from '../observations/runs/run-store.ts';
import { type JobRow, jobView } from '../projections/read-models/job/job.view.ts';
import type { Views } from '../projections/views/views.ts';
import { verdictView } from '../projections/read-models/verdict/verdict.view.ts';
import { AGAIN } from './check-turns.ts';
import type { Checker } from './checker.ts';
import { enabledChecks } from './plan/plan.ts';
import { missedChecks } from './schedule/missed-checks.ts';
import type { CheckOfProject, Undecided } from './verdicts/undecided.ts';
import { type Patience, whileOurs } from './while-ours.ts';

export interface TakeOverOptions extends Patience {
  readonly runs: Pick<RunStore, 'latest'>;
  readonly clock: Clock;
  readonly views: Pick<Views, 'list' | 'position'>;
  readonly log: Pick<Log, 'head'>;
  readonly undecided: Undecided;
  readonly startJob: (checker: Checker, job: JobRow) => void;
  readonly confirmSoon: (checker: Checker, projectId: string, checkId: string, since: number) => void;
}

const NEAR_MS = 50;
const AT_ONCE = 500;
/** Between two runs that were missed: after a long absence everything was. */
const APART_MS = 20;

/** What was under way in a shard goes on with its new owner: jobs that are open, runs that nobody decided from, failures that wait to be confirmed, turns that were missed. */
export class TakeOver {
  constructor(private readonly options: TakeOverOptions) {}

  goOn(checker: Checker, projectIds: readonly string[]): Promise<void> {
    const work = async (open: readonly string[]): Promise<void> => {
      await this.readModelsAreThere(checker, open);
      await this.look(checker, open);
    };
    return whileOurs(checker, projectIds, work, this.options);
  }

  /** What is appended from now on is heard of; what was appended before may be in the log and not yet in the read models. */
  private async readModelsAreThere(checker: Checker, projectIds: readonly string[]): Promise<void> {
    const { log, views, sleep } = this.options;
    const head = await log.head();
    while (views.position() < head && projectIds.some((projectId) => checker.leaseOf(projectId) !== undefined)) await sleep(NEAR_MS);
  }

  private async look(checker: Checker, projectIds: readonly string[]): Promise<void> {
    const { views, undecided, startJob, confirmSoon } = this.options;
    for (const { row } of await views.list(jobView, { where: { open: { in: projectIds } }, parked: 'as before' })) startJob(checker, row);
    for (const { row } of await views.list(verdictView, { where: { suspected: { in: projectIds } }, parked: 'as before' }))
      confirmSoon(checker, row.projectId, row.checkId, Date.parse(row.suspectedSince ?? row.since));
    const lastRuns = new Map<string, number>();
    const checks = this.checksOf(checker, projectIds);
    for (let from = 0; from < checks.length; from += AT_ONCE) {
      const some = checks.slice(from, from + AT_ONCE);
      const latest = await this.options.runs.latest(some.map(({ checkId }) => checkId));
      for (const [checkId, { at }] of latest) lastRuns.set(checkId, at);
      for (const { projectId, checkId, since } of await undecided.decide(some, latest)) confirmSoon(checker, projectId, checkId, since);
    }
    this.makeUp(checker, projectIds, lastRuns);
  }

  private checksOf(checker: Checker, projectIds: readonly string[]): readonly CheckOfProject[] {
    return projectIds.flatMap((projectId) => {
      const plan = checker.plans.plan.get(projectId);
      return plan === undefined ? [] : enabledChecks(plan).map(({ id }) => ({ projectId, checkId: id }));
    });
  }

  private makeUp(checker: Checker, projectIds: readonly string[], lastRuns: ReadonlyMap<string, number>): void {
    const now = this.options.clock.now();
    let due = now;
    for (const projectId of projectIds) {
      const plan = checker.plans.plan.get(projectId);
      const missed = plan === undefined ? [] : missedChecks(plan, (checkId) => lastRuns.get(checkId), now);
      for (const checkId of missed) checker.once(AGAIN, projectId, checkId, (due += APART_MS));
    }
  }
}
