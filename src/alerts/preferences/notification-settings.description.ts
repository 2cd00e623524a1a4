import { json, type Operations, takes } from '../../platform/http/description/operation.ts';
import { named, record } from '../../platform/http/description/schema.ts';
import { idPath } from '../../platform/http/description/vocabulary.ts';
import { answersOf } from '../../platform/http/validation/input.ts';
import { NotificationSettingsDto } from './notification-settings.dto.ts';

/** docs/spec/interface.md#notification-settings. */
const notificationSettings = named(
  'NotificationSettings',
  record(
    'Notification settings of the caller in the project',
    answersOf(NotificationSettingsDto, 'severity', 'email', 'pagerduty', 'pushover', 'pushbullet', 'slack', 'webPush', 'webhook'),
  ),
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
