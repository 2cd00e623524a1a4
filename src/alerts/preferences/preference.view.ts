import { defaultNotifications, type NotificationSettings } from './preference.settings.ts';
import { defineView, scopeId } from '../../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../../platform/commands/settings-tag.ts';
import { type Thing, thingRow } from '../../platform/http/conditions/thing.ts';
import type { Preferences } from './preference.decider.ts';

/** Notification settings of the users of a project, by user id; users without an entry have the defaults. */
export interface PreferenceRow {
  readonly byUser: Readonly<Record<string, NotificationSettings>>;
}

const changed = (row: PreferenceRow | null, userId: number, change: Partial<NotificationSettings>): PreferenceRow => {
  const before = row?.byUser[String(userId)] ?? defaultNotifications;
  return { byUser: { ...row?.byUser, [String(userId)]: { ...before, ...change } } };
};

export const preferenceView = defineView<PreferenceRow>()({
  name: 'preference',
  version: 1,
  scope: 'project',
  key: scopeId,
  on: {
    NotificationSeverityChanged: (row, { data }) => changed(row, data.userId, { severity: data.to }),
    NotificationChannelSwitched: (row, { data }) => changed(row, data.userId, { [data.channel]: data.to }),
    MemberRemoved: (row, { data }) => {
      if (row === null) return null;
      const byUser = Object.fromEntries(Object.entries(row.byUser).filter(([userId]) => userId !== String(data.userId)));
      return { byUser };
    },
    ProjectDeleted: () => null,
  },
});

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
