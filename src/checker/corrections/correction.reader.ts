import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { type ReportRequest, type UptimeTotals, uptimeTotals } from '../../platform/observations/samples/report.ts';
import { corrected, countFailures, type Outcome, type VerdictInterval, within } from '../verdicts/timeline.ts';
import type { TimeSpan } from '../../kernel/instants.ts';
import { Log } from '../../platform/log/log.ts';
import { unpackIntervals } from '../../platform/observations/codec/intervals.ts';
import { READ_DATABASE } from '../../platform/postgres/pool.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { type CorrectionRow, correctionView } from './correction.view.ts';
import { VerdictHistory } from './verdict-history.ts';
import { projectStream } from '../../kernel/stream-names.ts';

export interface VerdictFigures {
  readonly totals: UptimeTotals;
  /** How often it began to fail. */
  readonly failures: number;
  readonly verdicts: readonly VerdictInterval[];
}

export interface CorrectedFigures extends VerdictFigures {
  /** Time of which too little was kept to judge it again. */
  readonly unjudgedMs: number;
}

export interface CheckUptimeReport {
  readonly original: VerdictFigures;
  /** Null when no correction concerns the span. */
  readonly corrected: CorrectedFigures | null;
  /** Those that concern the span, in the order of their creation: of two that overlap the later one counts. */
  readonly corrections: readonly CorrectionRow[];
}

/** A correction with the figures of its own span, as if it were the only one. */
export interface CheckCorrection {
  readonly row: CorrectionRow;
  readonly original: VerdictFigures;
  readonly corrected: CorrectedFigures;
  /** Later corrections that overlap it: there, they count. */
  readonly overruledBy: readonly string[];
}

export interface CorrectedVerdict {
  readonly correctionId: string;
  /** Null when too little was kept to judge the run again. */
  readonly status: Outcome | null;
}

/** A check and an instant (milliseconds). */
export interface CheckInstant {
  readonly checkId: string;
  readonly at: number;
}

/** Verdicts of a check as they were given, and as its corrections say that they should have been. */
@Injectable()
export class CorrectionReader {
  private readonly history: VerdictHistory;

  constructor(
    private readonly views: ViewsAt,
    log: Log,
    @Inject(READ_DATABASE) pool: pg.Pool,
  ) {
    this.history = new VerdictHistory(pool, log);
  }

  /** The uptime of a check by its verdicts. */
  async checkUptime(projectId: string, checkId: string, request: ReportRequest): Promise<CheckUptimeReport> {
    const span = { from: request.from, to: Math.min(request.to, request.now) };
    const { all, verdictsWithin } = await this.verdicts(projectId, checkId);
    const corrections = all.filter(({ from, to }) => Date.parse(from) < span.to && Date.parse(to) > span.from);
    const original = await verdictsWithin(span);
    const known = within(corrected(original, corrections.map(unpacked)), [span]);
    return {
      original: figuresOf(original, request),
      corrected: corrections.length === 0 ? null : correctedFiguresOf(original, known, request),
      corrections,
    };
  }

  /** Every correction of a check, in the order of their creation. */
  async corrections(projectId: string, checkId: string, now: number): Promise<readonly CheckCorrection[]> {
    const { all, verdictsWithin } = await this.verdicts(projectId, checkId);
    const made = all.map((row) => ({ row, judged: unpacked(row) }));
    const hull = { from: Math.min(...made.map(({ judged }) => judged.from)), to: Math.max(...made.map(({ judged }) => judged.to)) };
    const given = await verdictsWithin(hull);
    return made.map(({ row, judged }, index) => {
      const request = { from: judged.from, to: judged.to, now, offsetMinutes: 0, excluded: [] };
      const original = within(given, [judged]);
      const later = made.slice(index + 1).filter((other) => other.judged.from < judged.to && other.judged.to > judged.from);
      return {
        row,
        original: figuresOf(original, request),
        corrected: correctedFiguresOf(original, corrected(original, [judged]), request),
        overruledBy: later.map((other) => other.row.correctionId),
      };
    });
  }

  /** Reads the corrections of several instants at once; the answer finds the one that counts for each. */
  async correctedAt(
    projectId: string,
    instants: readonly CheckInstant[],
  ): Promise<(instant: CheckInstant) => CorrectedVerdict | undefined> {
    if (instants.length === 0) return () => undefined;
    const checks = new Set(instants.map(({ checkId }) => checkId));
    const [only] = checks.size === 1 ? checks : [];
    // Results of a running job are rarely corrected: no correction that ends before the first instant is read.
    const ends = { atLeast: Math.min(...instants.map(({ at }) => at)) + 1 };
    const items = await this.views.now().list(correctionView, {
      scope: projectStream(projectId),
      where: only === undefined ? { ends } : { ends, check: { eq: only } },
      order: { by: 'order', direction: 'desc' },
    });
    const made = items.filter(({ row }) => checks.has(row.checkId)).map(({ row }) => ({ row, judged: unpacked(row) }));
    return ({ checkId, at }) => {
      // The newest correction counts.
      const found = made.find(({ row, judged }) => row.checkId === checkId && at >= judged.from && at < judged.to);
      if (found === undefined) return undefined;
      const status = found.judged.verdicts.find(({ from, to }) => at >= from && at < to)?.state ?? null;
      return { correctionId: found.row.correctionId, status };
    };
  }

  /** Corrections and verdicts of a check, both as of one position of the log. */
  private async verdicts(projectId: string, checkId: string) {
    const views = this.views.now();
    const items = await views.list(correctionView, {
      scope: projectStream(projectId),
      where: { check: { eq: checkId } },
      order: { by: 'order' },
    });
    const all = items.map(({ row }) => row);
    return { all, verdictsWithin: (span: TimeSpan) => this.history.within({ projectId, checkId, until: views.position() }, span) };
  }
}

const outcomes: readonly Outcome[] = ['ok', 'error', 'timeout'];

const unpacked = ({ from, to, verdicts }: CorrectionRow): TimeSpan & { readonly verdicts: readonly VerdictInterval[] } => ({
  from: Date.parse(from),
  to: Date.parse(to),
  verdicts: unpackIntervals(outcomes, Date.parse(from), Buffer.from(verdicts, 'base64')),
});

const inReport = { ok: 'up', error: 'down', timeout: 'timeout' } as const satisfies Record<Outcome, string>;

export const figuresOf = (verdicts: readonly VerdictInterval[], request: ReportRequest): VerdictFigures => ({
  totals: uptimeTotals(
    verdicts.map(({ from, to, state }) => ({ from, to, state: inReport[state] })),
    request,
  ),
  failures: countFailures(verdicts),
  verdicts,
});

export const correctedFiguresOf = (
  original: readonly VerdictInterval[],
  afterCorrection: readonly VerdictInterval[],
  request: ReportRequest,
): CorrectedFigures => ({ ...figuresOf(afterCorrection, request), unjudgedMs: lengthOf(original) - lengthOf(afterCorrection) });

const lengthOf = (intervals: readonly TimeSpan[]): number => intervals.reduce((sum, { from, to }) => sum + to - from, 0);
