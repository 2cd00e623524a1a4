import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Outcome } from '../../domain/verdict/timeline.ts';
import { VIEWS_AT, type ViewsAt } from '../kit/views.ts';
import { correctionsOf, judgedOf } from './corrections-reader.ts';

export interface CorrectedVerdict {
  readonly correctionId: string;
  /** Null: too little was kept to judge it again. */
  readonly status: Outcome | null;
}

/** Which verdict should have held at some instants (milliseconds), where they were corrected. */
export class CorrectedAt extends Query<ReadonlyMap<number, CorrectedVerdict>> {
  constructor(
    readonly projectId: string,
    readonly checkId: string,
    readonly instants: readonly number[],
  ) {
    super();
  }
}

@QueryHandler(CorrectedAt)
export class CorrectedAtHandler implements IQueryHandler<CorrectedAt> {
  constructor(@Inject(VIEWS_AT) private readonly views: ViewsAt) {}

  async execute({ projectId, checkId, instants }: CorrectedAt): Promise<ReadonlyMap<number, CorrectedVerdict>> {
    const found = new Map<number, CorrectedVerdict>();
    // In the order in which they were made: the last one that speaks of an instant counts.
    for (const row of await correctionsOf(this.views.now(), projectId, checkId)) {
      const spoken = instants.filter((at) => at >= Date.parse(row.from) && at < Date.parse(row.to));
      if (spoken.length === 0) continue;
      const { verdicts } = judgedOf(row);
      for (const at of spoken) {
        const status = verdicts.find(({ from, to }) => at >= from && at < to)?.state ?? null;
        found.set(at, { correctionId: row.correctionId, status });
      }
    }
    return found;
  }
}
