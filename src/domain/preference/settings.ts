export const notificationChannels = ['email', 'pagerduty', 'pushover', 'pushbullet', 'slack', 'webPush', 'webhook'] as const;
export type NotificationChannel = (typeof notificationChannels)[number];

/** 1: only errors, 3: errors and timeouts. */
export const severities = [1, 3] as const;
export type Severity = (typeof severities)[number];

/** What somebody wants to hear of one project (docs/spec/interface.md#notification-settings). */
export type NotificationSettings = { readonly severity: Severity } & { readonly [Channel in NotificationChannel]: boolean };

/** As long as somebody said nothing else (docs/spec/decisions.md#N4). */
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
