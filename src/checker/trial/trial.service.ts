import { type OnApplicationShutdown, Injectable } from '@nestjs/common';
import { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import { Trial, type TrialResult } from './trial.ts';
import type { CorrectionFound } from './correction.ts';
import type { PastQuery } from './judge-past.ts';
import type { WhatIfFound } from './what-if.ts';
import type { Before } from '../verdicts/timeline.ts';
import { systemClock } from '../../kernel/clock.ts';
import { RunStore } from '../../platform/observations/runs/run-store.ts';
import type { AreaRow } from '../../projects/areas/area.view.ts';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';

/** The trial worker of this process. */
@Injectable()
export class TrialService implements OnApplicationShutdown {
  private readonly trial: Trial;

  constructor(
    guard: SsrfGuard,
    keyring: Keyring,
    private readonly answers: KeptAnswers,
    private readonly runs: RunStore,
  ) {
    this.trial = new Trial({ guard, keyring, clock: systemClock, runs });
  }

  /** `steps`: the checks of the group, whose values it may use. */
  run(project: ProjectRow, area: AreaRow | null, check: CheckRow, steps: readonly CheckRow[]): Promise<TrialResult> {
    return this.trial.run(project, area, check, steps);
  }

  whatIf(asked: PastQuery): Promise<WhatIfFound> {
    return this.trial.whatIf(asked, this.answers, this.runs);
  }

  correction(asked: PastQuery, before: Before): Promise<CorrectionFound> {
    return this.trial.correction(asked, before, this.answers, this.runs);
  }

  locate(...given: Parameters<Trial['locate']>): ReturnType<Trial['locate']> {
    return this.trial.locate(...given);
  }

  compare(...given: Parameters<Trial['compare']>): Promise<string> {
    return this.trial.compare(...given);
  }

  syntaxProblems(...given: Parameters<Trial['syntaxProblems']>): ReturnType<Trial['syntaxProblems']> {
    return this.trial.syntaxProblems(...given);
  }

  onApplicationShutdown(): Promise<void> {
    return this.trial.close();
  }
}
