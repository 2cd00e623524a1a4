import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

/** The status of a project in the last delivered notification (docs/spec/decisions.md#J9). */
export interface ReportedRow {
  readonly status: 'ok' | 'error' | 'timeout';
}

export const reportedView = defineView<ReportedRow>()({
  name: 'reported',
  version: 2,
  scope: 'project',
  key: scopeId,
  on: {
    // The status of the whole project, not of the message: of two failures one may recover while the other continues.
    NotificationDelivered: (row, { data }) => (data.standing === null ? row : { status: data.standing }),
    ProjectDeleted: () => null,
  },
});
