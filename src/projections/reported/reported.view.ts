import { defineView, scopeId } from '../kit/define-view.ts';

/** The status of a project that somebody was last told of (decisions.md, J9). */
export interface ReportedRow {
  readonly status: 'ok' | 'error' | 'timeout';
}

export const reportedView = defineView<ReportedRow>()({
  name: 'reported',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    NotificationDelivered: (_, { data }) => ({ status: data.status }),
    ProjectDeleted: () => null,
  },
});
