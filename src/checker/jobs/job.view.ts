import type { Events } from '../../events.ts';
import { chainOf, type EventChain } from '../../kernel/event.ts';
import { integerColumn, textColumn } from '../../platform/read-models/authoring/columns.ts';
import { defineView } from '../../platform/read-models/authoring/define-view.ts';

export interface JobRow {
  readonly request: Events['JobRequested'];
  /** ISO 8601. */
  readonly requestedAt: string;
  /** The causation of the verdicts of its runs: the event that started the job. */
  readonly chain: EventChain;
  /** The `n` of its request: jobs are listed newest first. */
  readonly order: number;
  readonly end: Events['JobEnded'] | null;
}

export const jobView = defineView<JobRow>()({
  name: 'job',
  version: 2,
  scope: 'project',
  key: ({ data }) => data.jobId,
  on: {
    JobRequested: (_, event) => ({
      request: event.data,
      requestedAt: event.meta.occurredAt,
      chain: chainOf(event.id, event.meta),
      order: event.n,
      end: null,
    }),
    JobEnded: (row, { data }) => row && { ...row, end: data },
  },
  columns: {
    order: integerColumn(({ order }: JobRow) => order, { indexed: false }),
    /** The project while the job is open, so that a checker finds it. */
    open: textColumn(({ end, request }: JobRow) => (end === null ? request.projectId : null)),
  },
  indexes: [['scope', 'order']],
});
