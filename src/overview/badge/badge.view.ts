import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';

export interface BadgeRow {
  readonly serial: number;
}

/** A row while the badge is published. */
export const badgeView = defineView<BadgeRow>()({
  name: 'badge',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    BadgePublished: (_, { data: { serial } }) => ({ serial }),
    BadgeWithdrawn: () => null,
    ProjectDeleted: () => null,
  },
});
