import { Controller, Get, Query } from '@nestjs/common';
import type { CheckRow } from '../../projects/checks/check.view.ts';
import { type CheckUptimeReport, CorrectionReader } from '../../checker/corrections/correction.reader.ts';
import { requestNow } from '../../platform/http/as-of/as-of.ts';
import { CurrentCheck, CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { readSpan, type SpanInput } from '../../platform/http/spans/span-input.ts';
import { presentTotals } from './uptime.presenter.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import type { TestUptimeAnswer } from '../../checker/corrections/correction.api.ts';

/** The uptime of a check by its verdicts, with the original and, where corrections exist, the corrected figures. */
@Controller()
export class CheckUptimeController {
  constructor(private readonly verdicts: CorrectionReader) {}

  @Get(['test/:id/uptime', 'tests/:id/uptime'])
  @Needs(projectRight('read'))
  async report(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @Query() query: Record<string, unknown>,
  ): Promise<object> {
    const now = requestNow();
    const span = readSpan(query, now);
    const { start, end } = span;
    const request = { from: start.at, to: end.at, now, offsetMinutes: start.offsetMinutes, excluded: [] };
    const { original, corrected, corrections } = await this.verdicts.checkUptime(projectId, check.id, request);
    return {
      ...present(span, original),
      corrected: corrected === null ? null : { ...present(span, corrected), unjudgedSeconds: corrected.unjudgedMs / 1000 },
      corrections: corrections.map(({ correctionId, from, to, reason, recordedAt, eventId }) => ({
        id: correctionId,
        from,
        to,
        reason,
        recordedAt,
        eventId,
      })),
    };
  }
}

const present = (
  span: SpanInput,
  { totals, failures }: CheckUptimeReport['original'],
): Omit<TestUptimeAnswer, 'corrected' | 'corrections'> => ({
  ...presentTotals(span, totals),
  failures,
});
