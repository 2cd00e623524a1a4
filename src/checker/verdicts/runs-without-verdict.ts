import type { WholeRun } from '../../platform/observations/runs/run-store.ts';
import { type VerdictRow, verdictView } from './verdict.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import { decisionOf, isSameFailure, type StoredDecision } from './stored-decision.ts';
import type { VerdictKeeper } from './verdict-keeper.ts';

export interface RunsWithoutVerdictOptions {
  readonly views: Pick<Views, 'many'>;
  readonly verdicts: Pick<VerdictKeeper, 'record' | 'hasDecided'>;
  /** Does the work while no run of the check is under way. */
  readonly runExclusive: <Result>(checkId: string, work: () => Promise<Result>) => Promise<Result>;
}

export interface CheckOfProject {
  readonly projectId: string;
  readonly checkId: string;
}

/** A failure that a second run has to confirm. */
export interface SuspectedCheck extends CheckOfProject {
  /** Milliseconds. */
  readonly since: number;
}

/** Crash recovery: a checker may have died after storing a run and before deciding from it, so the new owner of the shard decides. */
export class RunsWithoutVerdict {
  constructor(private readonly options: RunsWithoutVerdictOptions) {}

  /** `latest`: the last stored run of each check. Returns the checks whose failure has to be confirmed. */
  async decide(checks: readonly CheckOfProject[], latest: ReadonlyMap<string, WholeRun>): Promise<readonly SuspectedCheck[]> {
    const suspected: SuspectedCheck[] = [];
    const verdicts = await this.options.views.many(
      verdictView,
      checks.map(({ checkId }) => checkId),
      'as before',
    );
    for (const check of checks) {
      const run = latest.get(check.checkId);
      const decision = run === undefined ? null : decisionOf(run);
      if (run === undefined || decision === null || isDecided(verdicts.get(check.checkId), run, decision)) continue;
      if (await this.decideFrom(check, run, decision)) suspected.push({ ...check, since: run.at });
    }
    return suspected;
  }

  private decideFrom({ projectId, checkId }: CheckOfProject, { at }: WholeRun, decision: StoredDecision): Promise<boolean> {
    const { verdicts, runExclusive } = this.options;
    const { failing, evidence, confirming, chain } = decision;
    return runExclusive(checkId, async () => {
      // A newer run has been decided from while this one waited.
      if (verdicts.hasDecided(projectId, checkId, at)) return false;
      const run = { at, failing, evidence };
      return (await verdicts.record({ projectId, checkId, run, confirming, chain, isRepeat: true })).needsConfirmation;
    });
  }
}

/** Whether the run is certainly reflected in the verdict. In doubt it is decided again, which is idempotent. */
function isDecided(verdict: VerdictRow | undefined, { at }: WholeRun, { failing }: StoredDecision): boolean {
  if (verdict === undefined) return false;
  if (verdict.status === 'ok') return failing === null && (verdict.suspectedSince === null || at <= Date.parse(verdict.suspectedSince));
  if (at <= Date.parse(verdict.evidence.at)) return true;
  return failing !== null && isSameFailure(failing, verdict);
}
