import type { CorrectionEvents } from './correction.events.ts';
import type { Actor } from '../../kernel/event.ts';
import { integerColumn, textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView } from '../../platform/read-models/authoring/define-view.ts';

export type CorrectionRow = CorrectionEvents['CheckCorrected'] & {
  /** When it was recorded, and its `n`: of two that overlap the later one counts. */
  readonly recordedAt: string;
  readonly order: number;
  readonly eventId: string;
  readonly actor: Actor;
};

export const correctionView = defineView<CorrectionRow>()({
  name: 'correction',
  version: 1,
  scope: 'project',
  key: ({ data }) => data.correctionId,
  on: {
    CheckCorrected: (_, { data, recordedAt, n, id, meta }) => ({ ...data, recordedAt, order: n, eventId: id, actor: meta.actor }),
  },
  columns: {
    check: textColumn(({ checkId }: CorrectionRow) => checkId),
    order: integerColumn(({ order }: CorrectionRow) => order),
    /** The end of the corrected span. */
    ends: integerColumn(({ to }: CorrectionRow) => Date.parse(to)),
  },
});
