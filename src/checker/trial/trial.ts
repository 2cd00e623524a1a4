import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { SsrfGuard } from '../../security/ssrf-guard/ssrf-guard.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import type { Before } from '../../domain/verdict/timeline.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KeptAnswers } from '../../observations/pages/kept-answers.ts';
import type { RunStore } from '../../observations/runs/run-store.ts';
import type { AreaRow } from '../../projections/read-models/area/area.view.ts';
import type { CheckRow } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { FormReader } from '../forms/form-reader.ts';
import { Judge } from '../judging/judge.ts';
import { Prober } from '../probe/prober.ts';
import { checkRuleSyntax } from '../rules/rule-syntax.ts';
import type { Rule } from '../rules/rule.ts';
import { CheckRunner } from '../runs/check-runner.ts';
import { HostGate } from '../runs/host-gate.ts';
import { checkUrl } from '../runs/run-request.ts';
import { AreaSignIn } from '../runs/area-sign-in.ts';
import { type CorrectionFound, findCorrection } from './correcting.ts';
import { JudgePast, type PastAsked } from './judge-past.ts';
import { TrialNotPossible } from './trial-not-possible.ts';
import { whatIf, type WhatIfFound } from './what-if.ts';

export interface TrialNeeds {
  readonly guard: SsrfGuard;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly judge?: Judge;
  readonly forms?: FormReader;
}

export type TrialResult = { readonly kind: 'made'; readonly result: object } | { readonly kind: 'inconclusive'; readonly reason: string };

const MAX_TRIALS = 10;
/** Beyond it a trial is refused with `QueueFull` (503). */
const MAX_WAITING_TRIALS = 100;

const withoutHolding = (milliseconds: number): Promise<unknown> => sleep(milliseconds, undefined, { ref: false });

/** What a check would say, said without storing anything: what a person needs when writing a rule. Also reads rules before they are saved. */
export class Trial {
  private readonly judge: Judge;
  private readonly forms: FormReader;
  private readonly runner: CheckRunner;
  private readonly prober: Prober;
  private readonly limit = new ConcurrencyLimit(MAX_TRIALS, { maxQueue: MAX_WAITING_TRIALS });

  constructor(private readonly needs: TrialNeeds) {
    const { guard, judge = new Judge(), forms = new FormReader() } = needs;
    this.judge = judge;
    this.forms = forms;
    this.prober = new Prober({ guard });
    this.runner = new CheckRunner({ ...needs, prober: this.prober, judge });
  }

  async run(project: ProjectRow, area: AreaRow | null, check: CheckRow): Promise<TrialResult> {
    const watched = { project, areas: new Map(area === null ? [] : [[area.id, area]]), checks: new Map([[check.id, check]]) };
    // The requests of one trial lie apart; nobody waits for those of another.
    const gate = new HostGate(withoutHolding);
    const { prober, forms, limit } = this;
    const signIn = await new AreaSignIn({ ...this.needs, prober, forms, gate, fetchLimit: limit }).signIn(watched, check.areaId);
    const passage = { projectId: project.id, url: checkUrl(project, check), delayMs: () => 0 };
    const options = { jobId: null, confirming: false, ...(signIn === undefined ? {} : { signIn }) };
    const made = await gate.pass(passage, () => limit.run(() => this.runner.run(watched, check, options)));
    return made.kind === 'inconclusive' ? made : { kind: 'made', result: made.made.whole };
  }

  /** What keeps rules from being saved, a sentence each that names the rule. */
  async problems(rules: readonly Rule[]): Promise<readonly string[]> {
    const found = await checkRuleSyntax(rules, async (expressions) => {
      const look = await this.judge.xpathProblems(expressions);
      if (look.kind === 'inconclusive') throw new TrialNotPossible(`The rules could not be read just now: ${look.reason}`);
      return look.problems;
    });
    return found.map(({ sentence }) => sentence);
  }

  /** Other rules over what was kept of past runs. */
  whatIf(asked: PastAsked, pool: pg.Pool, runs: RunStore): Promise<WhatIfFound> {
    return this.limit.run(() => whatIf(this.past(pool, runs), asked));
  }

  /** The same, as the verdicts that would have held. */
  correction(asked: PastAsked, before: Before, pool: pg.Pool, runs: RunStore): Promise<CorrectionFound> {
    return this.limit.run(() => findCorrection(this.past(pool, runs), runs, asked, before));
  }

  async close(): Promise<void> {
    await Promise.all([this.judge.close(), this.forms.close()]);
  }

  private past(pool: pg.Pool, runs: RunStore): JudgePast {
    return new JudgePast(new KeptAnswers(pool), runs, this.judge);
  }
}
