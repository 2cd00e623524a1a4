import { setTimeout as sleep } from 'node:timers/promises';
import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { Before } from '../verdicts/timeline.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import type { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import type { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { Inconclusive } from '../probe/outcome.ts';
import { FormReader } from '../forms/form-reader.ts';
import type { ByteRange } from '../locating/located-page.ts';
import type { ComparedPage, JudgeJob } from '../judging/judge-job.ts';
import { Judge } from '../judging/judge.ts';
import { Prober } from '../probe/prober.ts';
import type { Expression } from '../../projects/checks/rule-syntax.ts';
import { neededSteps, StepValues } from '../steps/step-values.ts';
import { CheckRunner, type RunResult } from '../runs/check-runner.ts';
import { HostGate } from '../runs/host-gate.ts';
import { checkUrl } from '../runs/run-request.ts';
import { SharedSignIn } from '../runs/area-sign-in.ts';
import { type CorrectionFound, findCorrection } from './correction.ts';
import { PastJudge, type PastQuery, TrialNotPossible } from './judge-past.ts';
import { whatIf, type WhatIfFound } from './what-if.ts';

export interface TrialNeeds {
  readonly guard: SsrfGuard;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly runs: Pick<RunStore, 'haveEnded'>;
  readonly judge?: Judge;
  readonly forms?: FormReader;
}

export interface MadeTrial {
  readonly kind: 'made';
  readonly result: object;
  readonly exchange: Exchange;
  /** Null where none came, and where it may hold a secret that the check extracts. */
  readonly body: Uint8Array | null;
}

export type TrialResult = MadeTrial | Inconclusive;

const MAX_TRIALS = 20;
/** Beyond it a trial is refused with `QueueFull` (503). */
const MAX_WAITING_TRIALS = 200;

const sleepUnref = (milliseconds: number): Promise<unknown> => sleep(milliseconds, undefined, { ref: false });

/** Runs a check without storing anything, for a person who writes rules; also validates rules, and judges stored answers by other rules. */
export class Trial {
  private readonly judge: Judge;
  private readonly forms: FormReader;
  private readonly runner: CheckRunner;
  private readonly prober: Prober;
  private readonly limit = new ConcurrencyLimit(MAX_TRIALS, { maxQueue: MAX_WAITING_TRIALS, shares: 'permits and queue' });

  constructor(private readonly needs: TrialNeeds) {
    const { guard, runs, judge = new Judge(), forms = new FormReader() } = needs;
    this.judge = judge;
    this.forms = forms;
    this.prober = new Prober({ guard });
    this.runner = new CheckRunner({
      ...needs,
      prober: this.prober,
      judge,
      // A check that is tried has no id that runs know: a check of the project with the same request speaks for it.
      haveEnded: ({ projectId }, requested) => runs.haveEnded(projectId, requested, null),
    });
  }

  /** `steps`: the checks of the group; those whose values the check uses are fetched before it. */
  async run(project: ProjectRow, area: AreaRow | null, check: CheckRow, steps: readonly CheckRow[] = []): Promise<TrialResult> {
    const checks = new Map([...steps, check].map((one) => [one.id, one]));
    const watched = { project, areas: new Map(area === null ? [] : [[area.id, area]]), checks };
    // A gate per trial: its requests are sequential, and do not wait for other trials.
    const gate = new HostGate(sleepUnref);
    const { prober, forms, limit } = this;
    const source = { account: project.payerId };
    const signIn = await new SharedSignIn({ ...this.needs, prober, forms, gate, fetchLimit: limit }).signIn(watched, check.areaId, source);
    const options = { jobId: null, confirming: false, values: new StepValues(), ...(signIn === undefined ? {} : { signIn }) };
    const fetched = (one: CheckRow): Promise<RunResult> =>
      gate.pass({ projectId: project.id, url: checkUrl(project, one), delayMs: () => 0 }, () =>
        limit.run(() => this.runner.run(watched, one, options), source),
      );
    for (const step of neededSteps(watched, check)) await fetched(step);
    const made = await fetched(check);
    if (made.kind === 'skipped') throw new InvalidInput(`options.uses: ${made.missing.reason}`);
    if (made.kind === 'inconclusive') return made;
    return { kind: 'made', result: made.made.whole, exchange: made.exchange(), body: made.answer?.body ?? null };
  }

  /** What is wrong with each expression; null for a valid one. */
  async syntaxProblems(expressions: readonly Expression[]): Promise<readonly (string | null)[]> {
    const syntax = await this.judge.syntaxProblems(expressions);
    if (syntax.kind === 'inconclusive') throw new TrialNotPossible(`The rules could not be read just now: ${syntax.reason}`);
    return syntax.problems;
  }

  /** The verdicts of other rules on the stored answers of past runs. */
  whatIf(asked: PastQuery, answers: KeptAnswers, runs: RunStore): Promise<WhatIfFound> {
    return this.limit.run(() => whatIf(this.past(answers, runs), asked), { account: asked.account });
  }

  /** Judges as `whatIf` does, and answers the intervals of a correction. */
  correction(asked: PastQuery, before: Before, answers: KeptAnswers, runs: RunStore): Promise<CorrectionFound> {
    return this.limit.run(() => findCorrection(this.past(answers, runs), runs, asked, before), { account: asked.account });
  }

  /** Finds the places on a kept page at which its rules matched. */
  async locate(job: JudgeJob, account: number): Promise<readonly (ByteRange | null)[]> {
    const found = await this.limit.run(() => this.judge.locate(job, account), { account });
    if (found.kind === 'inconclusive') throw new TrialNotPossible(`The page could not be searched just now: ${found.reason}`);
    return found.ranges;
  }

  /** The unified diff of two kept pages. */
  async compare(before: ComparedPage, after: ComparedPage, account: number): Promise<string> {
    const found = await this.limit.run(() => this.judge.compare(before, after, account), { account });
    if (found.kind === 'inconclusive') throw new TrialNotPossible(`The pages could not be compared just now: ${found.reason}`);
    return found.diff;
  }

  async close(): Promise<void> {
    await Promise.all([this.judge.close(), this.forms.close()]);
  }

  private past(answers: KeptAnswers, runs: RunStore): PastJudge {
    return new PastJudge(answers, runs, this.judge);
  }
}
