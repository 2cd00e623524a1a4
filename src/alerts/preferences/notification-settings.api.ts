import { type Severity, severities } from './preference.settings.ts';
import { oneOfNumbers, yesOrNo } from '../../platform/http/validation/fields.ts';
import { Input, Optional, answersOf } from '../../platform/http/validation/input.ts';
import { json, type Operations, takes } from '../../platform/http/description/operation.ts';
import { named, record } from '../../platform/http/description/schema.ts';
import { idPath } from '../../platform/http/description/vocabulary.ts';

const over = (channel: string, example = false) => yesOrNo(`Notifications over ${channel}`, { examples: [example] });

/** docs/spec/interface.md#notification-settings. */
@Input('NotificationChange', 'Only supplied fields change')
export class NotificationSettingsDto {
  @Optional(oneOfNumbers('1: only errors, 3: errors and timeouts', severities, { format: 'int32' })) severity?: Severity;
  @Optional(over('email', true)) email?: boolean;
  @Optional(over('pagerduty')) pagerduty?: boolean;
  @Optional(over('pushover')) pushover?: boolean;
  @Optional(over('pushbullet')) pushbullet?: boolean;
  @Optional(over('slack', true)) slack?: boolean;
  @Optional(over('webPush')) webPush?: boolean;
  @Optional(over('webhook')) webhook?: boolean;
}

/** docs/spec/interface.md#notification-settings. */
const notificationSettings = named(
  'NotificationSettings',
  record('Notification settings of the caller in the project', answersOf(NotificationSettingsDto)),
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
