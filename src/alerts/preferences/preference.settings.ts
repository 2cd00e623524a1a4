interface ChannelRow {
  /** In the middle of a sentence, and as its maker writes it. */
  readonly name: string;
  /** What a form asks for; nothing where a browser that receives it sets it up. */
  readonly fields: readonly { readonly name: string; readonly label: string; readonly type: 'email' | 'text' }[];
}

/** How the channels are named and set up; what sends over them is `src/alerts/channels/channel-table.ts`. */
export const channelTable = {
  email: { name: 'e-mail', fields: [{ name: 'address', label: 'Another address than that of the account', type: 'email' }] },
  pagerduty: { name: 'PagerDuty', fields: [{ name: 'routingKey', label: 'Integration key', type: 'text' }] },
  pushover: {
    name: 'Pushover',
    fields: [
      { name: 'user', label: 'User or group key', type: 'text' },
      { name: 'token', label: 'Token of an application', type: 'text' },
    ],
  },
  pushbullet: { name: 'Pushbullet', fields: [{ name: 'token', label: 'Access token', type: 'text' }] },
  slack: { name: 'Slack', fields: [{ name: 'url', label: 'Address of the incoming webhook', type: 'text' }] },
  webPush: { name: 'web push', fields: [] },
  webhook: { name: 'webhook', fields: [{ name: 'url', label: 'Address', type: 'text' }] },
} as const satisfies Readonly<Record<string, ChannelRow>>;
export type NotificationChannel = keyof typeof channelTable;
// Cast: the keys of the table.
export const notificationChannels = Object.keys(channelTable) as readonly NotificationChannel[];

/** 1: only errors, 3: errors and timeouts. */
export const severities = [1, 3] as const;
export type Severity = (typeof severities)[number];

/** Which alerts of a project a member receives (docs/spec/interface.md#notification-settings). */
export type NotificationSettings = { readonly severity: Severity } & { readonly [Channel in NotificationChannel]: boolean };

/** The default (docs/spec/decisions.md#N4). */
export const defaultNotifications: NotificationSettings = {
  severity: 1,
  // Cast: one for each channel.
  ...(Object.fromEntries(notificationChannels.map((channel) => [channel, channel === 'email'])) as Record<NotificationChannel, boolean>),
};
