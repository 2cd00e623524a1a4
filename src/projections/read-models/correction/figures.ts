import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../../domain/uptime/report.ts';
import { failuresIn, type Outcome, type Span, type VerdictInterval } from '../../../domain/verdict/timeline.ts';

export interface CheckFigures {
  readonly totals: UptimeTotals;
  /** How often it began to fail. */
  readonly failures: number;
  readonly verdicts: readonly VerdictInterval[];
}

export interface CorrectedFigures extends CheckFigures {
  /** Time of which nothing was kept that could be judged again. */
  readonly unjudgedMs: number;
}

const inReport = { ok: 'up', error: 'down', timeout: 'timeout' } as const satisfies Record<Outcome, string>;

export const figuresOf = (verdicts: readonly VerdictInterval[], request: ReportRequest): CheckFigures => ({
  totals: uptimeTotals(
    verdicts.map(({ from, to, state }) => ({ from, to, state: inReport[state] })),
    request,
  ),
  failures: failuresIn(verdicts),
  verdicts,
});

export const correctedFiguresOf = (
  original: readonly VerdictInterval[],
  corrected: readonly VerdictInterval[],
  request: ReportRequest,
): CorrectedFigures => ({ ...figuresOf(corrected, request), unjudgedMs: lengthOf(original) - lengthOf(corrected) });

const lengthOf = (intervals: readonly Span[]): number => intervals.reduce((sum, { from, to }) => sum + to - from, 0);
