import type { WholeRun } from '../../observations/runs/run-store.ts';
import type { Views } from '../../projections/views/views.ts';
import { type VerdictRow, verdictView } from '../../projections/read-models/verdict/verdict.view.ts';
import { decisionOf, type KeptDecision } from './accepted-run.ts';
import type { VerdictKeeper } from './verdict-keeper.ts';

export interface UndecidedOptions {
  readonly views: Pick<Views, 'many'>;
  readonly verdicts: Pick<VerdictKeeper, 'record' | 'hasSeen'>;
  /** No run of the check is under way meanwhile. */
  readonly alone: <T>(checkId: string, work: () => Promise<T>) => Promise<T>;
}

export interface CheckOfProject {
  readonly projectId: string;
  readonly checkId: string;
}

/** A failure that waits for its second run, since when (milliseconds). */
export interface Suspect extends CheckOfProject {
  readonly since: number;
}

/** A checker that died between accepting a run and deciding from it leaves a run that says something else than the verdict: whoever takes over decides from it. */
export class Undecided {
  constructor(private readonly options: UndecidedOptions) {}

  /** Answers the failures that have to be confirmed. `latest`: the last accepted run of each check. */
  async decide(checks: readonly CheckOfProject[], latest: ReadonlyMap<string, WholeRun>): Promise<readonly Suspect[]> {
    const suspects: Suspect[] = [];
    const verdicts = await this.options.views.many(
      verdictView,
      checks.map(({ checkId }) => checkId),
      'as before',
    );
    for (const check of checks) {
      const run = latest.get(check.checkId);
      const decision = run === undefined ? null : decisionOf(run);
      if (run === undefined || decision === null || isDecided(verdicts.get(check.checkId), run, decision)) continue;
      if (await this.decideFrom(check, run, decision)) suspects.push({ ...check, since: run.at });
    }
    return suspects;
  }

  private decideFrom({ projectId, checkId }: CheckOfProject, { at }: WholeRun, decision: KeptDecision): Promise<boolean> {
    const { verdicts, alone } = this.options;
    const { failing, evidence, confirming, chain } = decision;
    return alone(checkId, async () => {
      // Looked at meanwhile: what was found then counts.
      if (verdicts.hasSeen(projectId, checkId, at)) return false;
      return (await verdicts.record({ projectId, checkId, run: { at, failing, evidence }, confirming, chain, again: true })).suspect;
    });
  }
}

/** Whether deciding from the run could not change the verdict. In doubt it is decided again: the same command adds nothing. */
function isDecided(verdict: VerdictRow | undefined, { at }: WholeRun, { failing }: KeptDecision): boolean {
  if (verdict === undefined) return false;
  if (verdict.status === 'ok') return failing === null && (verdict.suspectedSince === null || at <= Date.parse(verdict.suspectedSince));
  if (at <= Date.parse(verdict.evidence.at)) return true;
  return failing !== null && failing.status === verdict.status && failing.rules.join('\n') === verdict.failing?.rules.join('\n');
}
