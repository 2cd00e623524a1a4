import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ReportRequest } from '../../../domain/uptime/report.ts';
import { corrected, within } from '../../../domain/verdict/timeline.ts';
import { CheckVerdicts } from './check-verdicts.queries.ts';
import { judgedOf } from './corrections-reader.ts';
import type { CorrectionRow } from './correction.view.ts';
import { type CheckFigures, type CorrectedFigures, correctedFiguresOf, figuresOf } from './figures.ts';

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
  constructor(@Inject(CheckVerdicts) private readonly verdicts: CheckVerdicts) {}

  async execute({ projectId, checkId, request }: CheckUptime): Promise<CheckUptimeReport> {
    const span = { from: request.from, to: Math.min(request.to, request.now) };
    const said = await this.verdicts.of(projectId, checkId);
    const corrections = said.corrections.filter(({ from, to }) => Date.parse(from) < span.to && Date.parse(to) > span.from);
    const original = await said.within(span);
    const known = within(corrected(original, corrections.map(judgedOf)), [span]);
    return {
      original: figuresOf(original, request),
      corrected: corrections.length === 0 ? null : correctedFiguresOf(original, known, request),
      corrections,
    };
  }
}
