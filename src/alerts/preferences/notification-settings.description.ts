import { severities } from './preference.settings.ts';
import { json, type Operations, takes } from '../../platform/http/description/operation.ts';
import { flag, integer, named, record, type Schema, type ValueOf } from '../../platform/http/description/schema.ts';
import { idPath } from '../../platform/http/description/vocabulary.ts';
import { NotificationSettingsDto } from './notification-settings.dto.ts';

const over = (channel: string): Schema<boolean> => flag(`Notifications over ${channel}`);

/** docs/spec/interface.md#notification-settings. */
const notificationSettings = named(
  'NotificationSettings',
  record('Notification settings of the caller in the project', {
    severity: integer('1: only errors, 3: errors and timeouts', { format: 'int32', enum: severities }),
    email: over('email'),
    pagerduty: over('pagerduty'),
    pushover: over('pushover'),
    pushbullet: over('pushbullet'),
    slack: over('slack'),
    webPush: over('webPush'),
    webhook: over('webhook'),
  }),
);
export type NotificationSettingsAnswer = ValueOf<typeof notificationSettings>;

const settings: NotificationSettingsAnswer = {
  severity: 1,
  email: true,
  pagerduty: false,
  pushover: false,
  pushbullet: false,
  slack: true,
  webPush: false,
  webhook: false,
};

export const notificationOperations: Operations = {
  'GET /project/:id/notifications': {
    id: 'getNotifications',
    tag: 'Notifications',
    summary: 'Read your own notification settings',
    path: idPath,
    answer: json(notificationSettings, settings),
  },
  'POST /project/:id/notifications': {
    id: 'updateNotifications',
    tag: 'Notifications',
    summary: 'Change your own notification settings',
    path: idPath,
    body: takes(NotificationSettingsDto, { severity: 3, slack: true, email: false }),
    answer: json(notificationSettings, settings),
  },
};
