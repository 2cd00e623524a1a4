import { defineView, scopeId } from '../../authoring/define-view.ts';

/** The status of a project that somebody was last told of (docs/spec/decisions.md#J9). */
export interface ReportedRow {
  readonly status: 'ok' | 'error' | 'timeout';
}

export const reportedView = defineView<ReportedRow>()({
  name: 'reported',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: {
    // Not what the message itself tells of: of two failures one may be over while the other goes on.
    NotificationDelivered: (row, { data }) => (data.standing === null ? row : { status: data.standing }),
    ProjectDeleted: () => null,
  },
});
