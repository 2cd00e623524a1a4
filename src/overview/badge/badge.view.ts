import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Badge } from './badge.decider.ts';

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

/** `serial`: of the published badge; null: none is. */
export const badgeTag = (projectId: string, serial: number | null): string => settingsTag('badge', projectId, serial);

export const badgeTagIn = (projectId: string, { published, serial }: Badge): string => badgeTag(projectId, published ? serial : null);

export const badgeThing: Thing = {
  name: 'badge',
  row: ({ projectId }) => thingRow(badgeView, projectId, (row) => badgeTag(projectId, row?.serial ?? null)),
};
