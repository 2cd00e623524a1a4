import { notificationChannels, severities } from '../../domain/preference/settings.ts';
import { json, type Operations } from '../description/operation.ts';
import { flag, integer, record, ref } from '../description/schema.ts';
import { idPath } from '../description/vocabulary.ts';

const fields = {
  severity: integer('1: only errors, 3: errors and timeouts', { format: 'int32', enum: severities }),
  ...Object.fromEntries(notificationChannels.map((channel) => [channel, flag(`Notifications over ${channel}`)])),
};

/** docs/spec/interface.md#notification-settings. */
export const notificationSchemas = {
  NotificationSettings: record('What the caller wants to hear of the project', fields),
  NotificationChange: record('Only what is supplied changes', {}, fields),
};

const settings = {
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
    ...{ id: 'getNotifications', tag: 'Notifications', summary: 'Own notification settings', path: idPath },
    answer: json(ref('NotificationSettings'), settings),
  },
  'POST /project/:id/notifications': {
    ...{ id: 'updateNotifications', tag: 'Notifications', summary: 'Change own notification settings', path: idPath },
    body: { schema: ref('NotificationChange'), example: { severity: 3, slack: true, email: false } },
    answer: json(ref('NotificationSettings'), settings),
  },
};
