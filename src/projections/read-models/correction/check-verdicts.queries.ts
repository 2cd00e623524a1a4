import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { DATABASE } from '../../../persistence/pool.ts';
import type { Span, VerdictInterval } from '../../../domain/verdict/timeline.ts';
import { LOG, type Log } from '../../../log/log.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { correctionsOf } from './corrections-reader.ts';
import type { CorrectionRow } from './correction.view.ts';
import { VerdictsReader } from './verdicts-reader.ts';

/** What was said of a check and what was corrected of it, as of one instant. */
export interface SaidOfCheck {
  /** In the order in which they were made. */
  readonly corrections: readonly CorrectionRow[];
  readonly within: (span: Span) => Promise<readonly VerdictInterval[]>;
}

@Injectable()
export class CheckVerdicts {
  private readonly verdicts: VerdictsReader;

  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(LOG) log: Log,
    @Inject(DATABASE) pool: pg.Pool,
  ) {
    this.verdicts = new VerdictsReader(pool, log);
  }

  async of(projectId: string, checkId: string): Promise<SaidOfCheck> {
    const views = this.views.now();
    const corrections = await correctionsOf(views, projectId, checkId);
    return { corrections, within: (span) => this.verdicts.within({ projectId, checkId, until: views.position() }, span) };
  }
}
