export const notificationChannels = ['email', 'pagerduty', 'pushover', 'pushbullet', 'slack', 'webPush', 'webhook'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

/** 1: only errors, 3: errors and timeouts. */
export const severities = [1, 3] as const;
export type Severity = (typeof severities)[number];

/** Which alerts of a project a member receives (docs/spec/interface.md#notification-settings). */
export type NotificationSettings = { readonly severity: Severity } & { readonly [Channel in NotificationChannel]: boolean };

/** The default (docs/spec/decisions.md#N4). */
export const defaultNotifications: NotificationSettings = {
  severity: 1,
  email: true,
  pagerduty: false,
  pushover: false,
  pushbullet: false,
  slack: false,
  webPush: false,
  webhook: false,
};
