import { severities } from './preference.settings.ts';
import { json, type Operations, takes } from '../../platform/http/description/operation.ts';
import { flag, integer, named, record, type Schema } from '../../platform/http/description/schema.ts';
import { idPath } from '../../platform/http/description/vocabulary.ts';
import { NotificationSettingsDto } from './notification-settings.dto.ts';

const over = (channel: string, example = false): Schema<boolean> => flag(`Notifications over ${channel}`, { examples: [example] });

/** docs/spec/interface.md#notification-settings. */
const notificationSettings = named(
  'NotificationSettings',
  record('Notification settings of the caller in the project', {
    severity: integer('1: only errors, 3: errors and timeouts', { format: 'int32', enum: severities }),
    email: over('email', true),
    pagerduty: over('pagerduty'),
    pushover: over('pushover'),
    pushbullet: over('pushbullet'),
    slack: over('slack', true),
    webPush: over('webPush'),
    webhook: over('webhook'),
  }),
);

export const notificationOperations: Operations = {
  'GET /project/:id/notifications': {
    id: 'getNotifications',
    tag: 'Notifications',
    summary: 'Read your own notification settings',
    path: idPath,
    answer: json(notificationSettings),
  },
  'POST /project/:id/notifications': {
    id: 'updateNotifications',
    tag: 'Notifications',
    summary: 'Change your own notification settings',
    path: idPath,
    body: takes(NotificationSettingsDto, { severity: 3, slack: true, email: false }),
    answer: json(notificationSettings),
  },
};
