import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { corrected, within } from '../../../domain/verdict/timeline.ts';
import { CheckVerdicts } from './check-verdicts.queries.ts';
import { judgedOf } from './corrections-reader.ts';
import type { CorrectionRow } from './correction.view.ts';
import { type CheckFigures, type CorrectedFigures, correctedFiguresOf, figuresOf } from './figures.ts';

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
  constructor(@Inject(CheckVerdicts) private readonly verdicts: CheckVerdicts) {}

  async execute({ projectId, checkId, now }: CheckCorrections): Promise<readonly CheckCorrection[]> {
    const said = await this.verdicts.of(projectId, checkId);
    const made = said.corrections.map((row) => ({ row, judged: judgedOf(row) }));
    const hull = { from: Math.min(...made.map(({ judged }) => judged.from)), to: Math.max(...made.map(({ judged }) => judged.to)) };
    const held = await said.within(hull);
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
