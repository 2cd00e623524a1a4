import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Judge } from '../judging/judge.ts';
import type { ProjectPlan } from '../plan/plan.ts';
import type { Prober } from '../probe/prober.ts';
import type { SignedIn } from './signing-in.ts';
import type { MadeRun } from '../../observations/runs/run-store.ts';
import type { AcceptedRun } from '../../domain/verdict/recent-runs.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import { type StoredAnswer, storedAnswer } from '../rules/stored-answer.ts';
import { type Finding, findingOf } from './finding.ts';
import { madeRun } from './made-run.ts';
import { failingOf, isHeldAgainst, notSignedIn } from './not-signed-in.ts';
import { requestOf, rulesOf } from './run-settings.ts';

export interface RunOptions {
  readonly jobId: string | null;
  readonly confirming: boolean;
  /** Gives the fetch up: somebody else looks at the site now. */
  readonly signal?: AbortSignal;
  /** How the sign-in of the group went, where it has one. */
  readonly signedIn?: SignedIn;
}

/** What came of one run; `own`: the trouble is ours and says nothing about the site. */
export type RunResult =
  | { readonly kind: 'made'; readonly made: MadeRun; readonly accepted: AcceptedRun; readonly answer: StoredAnswer | null }
  | { readonly kind: 'inconclusive'; readonly reason: string };

export interface CheckRunnerOptions {
  readonly prober: Pick<Prober, 'fetch'>;
  readonly judge: Pick<Judge, 'judge'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

/** Fetches the page of a check and judges it. Writes nothing. */
export class CheckRunner {
  constructor(private readonly options: CheckRunnerOptions) {}

  async run(plan: ProjectPlan, check: CheckRow, { jobId, confirming, signal, signedIn }: RunOptions): Promise<RunResult> {
    const { prober, judge, keyring, clock } = this.options;
    const { project } = plan;
    const area = plan.areas.get(check.areaId);
    const trouble = signedIn?.trouble ?? null;
    if (trouble !== null && !isHeldAgainst(trouble)) return { kind: 'inconclusive', reason: trouble.reason };
    const request = await requestOf(project, area, check, keyring, signedIn?.session);
    const at = clock.now();
    const begun = performance.now();
    const asked = signal === undefined ? request : { ...request, signal };
    const outcome = trouble === null ? await prober.fetch(asked) : notSignedIn(request.url, trouble);
    const finding: Finding =
      trouble === null
        ? await findingOf(outcome, rulesOf(area, check), check, project.settings.checkDefaultErrors, judge)
        : { kind: 'found', failing: failingOf(trouble) };
    if (finding.kind === 'inconclusive') return finding;
    const milliseconds = performance.now() - begun;
    const { failing } = finding;
    const made = madeRun({ check, outcome, failing, at, milliseconds, jobId, confirming, url: request.url });
    const evidence = {
      runId: derivedId('run', check.id, at),
      url: outcome.url,
      at: new Date(at).toISOString(),
      location: project.settings.location,
      httpStatus: outcome.kind === 'answered' ? outcome.status : null,
      milliseconds: Math.round(milliseconds),
      page: made.page,
    };
    return { kind: 'made', made, accepted: { at, failing, evidence }, answer: outcome.kind === 'answered' ? storedAnswer(outcome) : null };
  }
}
