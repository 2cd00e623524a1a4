import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type pg from 'pg';
import { DATABASE } from '../../base/pool.ts';
import type { ReportRequest } from '../../domain/uptime/report.ts';
import { corrected, within } from '../../domain/verdict/timeline.ts';
import { LOG, type Log } from '../../log/log.ts';
import { VIEWS_AT, type ViewsAt } from '../kit/views.ts';
import { correctionsOf, judgedOf } from './corrections-reader.ts';
import type { CorrectionRow } from './correction.view.ts';
import { type CheckFigures, type CorrectedFigures, correctedFiguresOf, figuresOf } from './figures.ts';
import { VerdictsReader } from './verdicts-reader.ts';

export interface CheckUptimeReport {
  readonly original: CheckFigures;
  /** Null where no correction concerns the span. */
  readonly corrected: CorrectedFigures | null;
  /** Those that concern the span, in the order in which they were made: of two that overlap the later one counts. */
  readonly corrections: readonly CorrectionRow[];
}

/** The uptime of a check by its verdicts: as they were said, and as corrections say they should have been. The log alone tells both. */
export class CheckUptime extends Query<CheckUptimeReport> {
  constructor(
    readonly projectId: string,
    readonly checkId: string,
    readonly request: ReportRequest,
  ) {
    super();
  }
}

@QueryHandler(CheckUptime)
export class CheckUptimeHandler implements IQueryHandler<CheckUptime> {
  private readonly verdicts: VerdictsReader;

  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(LOG) log: Log,
    @Inject(DATABASE) pool: pg.Pool,
  ) {
    this.verdicts = new VerdictsReader(pool, log);
  }

  async execute({ projectId, checkId, request }: CheckUptime): Promise<CheckUptimeReport> {
    const views = this.views.now();
    const span = { from: request.from, to: Math.min(request.to, request.now) };
    const rows = await correctionsOf(views, projectId, checkId);
    const corrections = rows.filter(({ from, to }) => Date.parse(from) < span.to && Date.parse(to) > span.from);
    const original = await this.verdicts.within({ projectId, checkId, until: views.position() }, span);
    const known = within(corrected(original, corrections.map(judgedOf)), [span]);
    return {
      original: figuresOf(original, request),
      corrected: corrections.length === 0 ? null : correctedFiguresOf(original, known, request),
      corrections,
    };
  }
}
