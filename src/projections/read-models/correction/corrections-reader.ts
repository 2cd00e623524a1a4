import type { Outcome, Span, VerdictInterval } from '../../../domain/verdict/timeline.ts';
import { unpackIntervals } from '../../../observations/codec/intervals.ts';
import type { Views } from '../../views/views.ts';
import { type CorrectionRow, correctionView } from './correction.view.ts';

const outcomes: readonly Outcome[] = ['ok', 'error', 'timeout'];

/** In the order in which they were made. */
export async function correctionsOf(views: Views, projectId: string, checkId: string): Promise<readonly CorrectionRow[]> {
  const items = await views.list(correctionView, {
    scope: `project-${projectId}`,
    where: { check: { eq: checkId } },
    order: { by: 'order' },
  });
  return items.map(({ row }) => row);
}

/** What a correction says of its time. */
export const judgedOf = ({ from, to, verdicts }: CorrectionRow): Span & { readonly verdicts: readonly VerdictInterval[] } => ({
  from: Date.parse(from),
  to: Date.parse(to),
  verdicts: unpackIntervals(outcomes, Date.parse(from), Buffer.from(verdicts, 'base64')),
});
