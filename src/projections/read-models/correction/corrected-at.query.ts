import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Outcome } from '../../../domain/verdict/timeline.ts';
import { VIEWS_AT, type ViewsAt } from '../../views/views.ts';
import { correctionView } from './correction.view.ts';
import { judgedOf } from './corrections-reader.ts';

export interface CorrectedVerdict {
  readonly correctionId: string;
  /** Null: too little was kept to judge it again. */
  readonly status: Outcome | null;
}

/** Something that was said of a check, and of which instant (milliseconds). */
export interface Said {
  readonly checkId: string;
  readonly at: number;
}

/** Which verdict should have held, where what was said was corrected since. */
export class CorrectedAt extends Query<(said: Said) => CorrectedVerdict | undefined> {
  constructor(
    readonly projectId: string,
    readonly said: readonly Said[],
  ) {
    super();
  }
}

@QueryHandler(CorrectedAt)
export class CorrectedAtHandler implements IQueryHandler<CorrectedAt> {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async execute({ projectId, said }: CorrectedAt): Promise<(said: Said) => CorrectedVerdict | undefined> {
    if (said.length === 0) return () => undefined;
    const checks = new Set(said.map(({ checkId }) => checkId));
    const [only] = checks.size === 1 ? checks : [];
    // What is told of a job while it runs is seldom corrected already: no correction that ends before it is read.
    const ends = { atLeast: Math.min(...said.map(({ at }) => at)) + 1 };
    const items = await this.views.now().list(correctionView, {
      scope: `project-${projectId}`,
      where: only === undefined ? { ends } : { ends, check: { eq: only } },
      order: { by: 'order', direction: 'desc' },
    });
    const made = items.filter(({ row }) => checks.has(row.checkId)).map(({ row }) => ({ row, judged: judgedOf(row) }));
    return ({ checkId, at }) => {
      // The one that was made last counts.
      const found = made.find(({ row, judged }) => row.checkId === checkId && at >= judged.from && at < judged.to);
      if (found === undefined) return undefined;
      const status = found.judged.verdicts.find(({ from, to }) => at >= from && at < to)?.state ?? null;
      return { correctionId: found.row.correctionId, status };
    };
  }
}
