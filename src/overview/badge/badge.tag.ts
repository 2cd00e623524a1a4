import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Badge } from './badge.decider.ts';
import { badgeView } from './badge.view.ts';

/** `serial`: of the published badge; null: none is. */
export const badgeTag = (projectId: string, serial: number | null): string => settingsTag('badge', projectId, serial);

export const badgeTagIn = (projectId: string, { published, serial }: Badge): string => badgeTag(projectId, published ? serial : null);

export const badgeThing: Thing = {
  name: 'badge',
  row: ({ projectId }) => thingRow(badgeView, projectId, (row) => badgeTag(projectId, row?.serial ?? null)),
};
