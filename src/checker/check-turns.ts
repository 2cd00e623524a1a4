import type { Lease } from '../base/leases.ts';
import type { Clock } from '../kernel/clock.ts';
import { spread } from '../kernel/turns.ts';
import type { JobRow } from '../projections/job/job.view.ts';
import type { Carry, Checker } from './checker.ts';
import { enabledChecks, type ProjectPlan } from './plan/plan.ts';
import type { Errand, Ran, RunRecorder } from './runs/run-recorder.ts';

export const CONFIRM = 'confirm';

/** A second look 10 to 30 seconds after the first (decisions.md, J11), spread so that the checks of a broken site do not come all at once. */
const EARLIEST_MS = 10_000;
const SPREAD_MS = 15_000;
/** After trouble of our own. */
const AGAIN_MS = 30_000;

/** The runs of checks: of a group when its turn comes, of one check to confirm, and of a job that somebody started. */
export class CheckTurns {
  constructor(
    private readonly recorder: RunRecorder,
    private readonly clock: Clock,
  ) {}

  /** All enabled checks of the group, one after the other. */
  area(checker: Checker): Carry {
    return async ({ projectId, id }, lease) => {
      const plan = checker.plans.plan.get(projectId);
      if (plan === undefined) return;
      const runs = [];
      for (const check of enabledChecks(plan, id)) {
        if (lease.signal.aborted) break;
        const { fetched, done } = this.recorder.begin({ plan, check, lease, jobId: null, chain: null, confirming: false });
        runs.push(done.then((ran) => this.after(checker, plan, check.id, ran)));
        await fetched;
      }
      await Promise.all(runs);
    };
  }

  confirm(checker: Checker): Carry {
    return async ({ projectId, id }, lease) => {
      await this.one(checker, projectId, id, { lease, jobId: null, chain: null, confirming: true });
    };
  }

  /** Null: the check is gone. */
  ofJob(checker: Checker, plan: ProjectPlan, checkId: string, job: JobRow, lease: Lease): Promise<Ran | null> {
    return this.one(checker, plan.project.id, checkId, { lease, jobId: job.request.jobId, chain: job.chain, confirming: false });
  }

  confirmSoon(checker: Checker, projectId: string, checkId: string, since: number): void {
    checker.once(CONFIRM, projectId, checkId, since + EARLIEST_MS + (spread(checkId) % SPREAD_MS));
  }

  private async one(checker: Checker, projectId: string, checkId: string, errand: Omit<Errand, 'plan' | 'check'>): Promise<Ran | null> {
    const plan = checker.plans.plan.get(projectId);
    const check = plan?.checks.get(checkId);
    if (plan === undefined || check === undefined) return null;
    const ran = await this.recorder.begin({ ...errand, plan, check }).done;
    this.after(checker, plan, checkId, ran);
    return ran;
  }

  private after(checker: Checker, plan: ProjectPlan, checkId: string, ran: Ran): void {
    if (ran.kind === 'recorded' && ran.suspect) this.confirmSoon(checker, plan.project.id, checkId, this.clock.now());
    if (ran.kind === 'own') checker.once(CONFIRM, plan.project.id, checkId, this.clock.now() + AGAIN_MS);
  }
}
