import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type pg from 'pg';
import { DATABASE } from '../../base/pool.ts';
import { corrected, within } from '../../domain/verdict/timeline.ts';
import { LOG, type Log } from '../../log/log.ts';
import { VIEWS_AT, type ViewsAt } from '../kit/views.ts';
import { correctionsOf, judgedOf } from './corrections-reader.ts';
import type { CorrectionRow } from './correction.view.ts';
import { type CheckFigures, type CorrectedFigures, correctedFiguresOf, figuresOf } from './figures.ts';
import { VerdictsReader } from './verdicts-reader.ts';

/** A correction with the figures of its own time, as if it were the only one. */
export interface CheckCorrection {
  readonly row: CorrectionRow;
  readonly original: CheckFigures;
  readonly corrected: CorrectedFigures;
  /** Those that were made later and share some of its time: there, they count. */
  readonly overruledBy: readonly string[];
}

/** Every correction of a check, in the order in which they were made. */
export class CheckCorrections extends Query<readonly CheckCorrection[]> {
  constructor(
    readonly projectId: string,
    readonly checkId: string,
    readonly now: number,
  ) {
    super();
  }
}

@QueryHandler(CheckCorrections)
export class CheckCorrectionsHandler implements IQueryHandler<CheckCorrections> {
  private readonly verdicts: VerdictsReader;

  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(LOG) log: Log,
    @Inject(DATABASE) pool: pg.Pool,
  ) {
    this.verdicts = new VerdictsReader(pool, log);
  }

  async execute({ projectId, checkId, now }: CheckCorrections): Promise<readonly CheckCorrection[]> {
    const views = this.views.now();
    const rows = await correctionsOf(views, projectId, checkId);
    const made = rows.map((row) => ({ row, judged: judgedOf(row) }));
    const hull = { from: Math.min(...made.map(({ judged }) => judged.from)), to: Math.max(...made.map(({ judged }) => judged.to)) };
    const held = await this.verdicts.within({ projectId, checkId, until: views.position() }, hull);
    return made.map(({ row, judged }, index) => {
      const request = { from: judged.from, to: judged.to, now, offsetMinutes: 0, excluded: [] };
      const original = within(held, [judged]);
      const later = made.slice(index + 1).filter((other) => other.judged.from < judged.to && other.judged.to > judged.from);
      return {
        row,
        original: figuresOf(original, request),
        corrected: correctedFiguresOf(original, corrected(original, [judged]), request),
        overruledBy: later.map((other) => other.row.correctionId),
      };
    });
  }
}
