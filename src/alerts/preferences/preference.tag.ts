import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Preferences } from './preference.decider.ts';
import { defaultNotifications, type NotificationSettings } from './preference.settings.ts';
import { preferenceView } from './preference.view.ts';

export const notificationsTag = (projectId: string, userId: number, settings: NotificationSettings): string =>
  settingsTag('notifications', `${projectId} ${String(userId)}`, settings);

/** Null for an account that is no member. */
export function notificationsTagIn(projectId: string, userId: number, preferences: Preferences): string | null {
  const settings = preferences.get(userId);
  return settings === undefined ? null : notificationsTag(projectId, userId, settings ?? defaultNotifications);
}

export const notificationsThing: Thing = {
  name: 'notifications',
  row: ({ projectId, userId }) =>
    thingRow(preferenceView, projectId, (row) => notificationsTag(projectId, userId, row?.byUser[String(userId)] ?? defaultNotifications)),
};
