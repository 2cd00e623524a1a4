import type { Schemas } from '../../client.ts';

/** As their makers write them. */
export const CHANNEL_NAMES: Readonly<Record<Schemas['Channel']['channel'], string>> = {
  email: 'E-mail',
  pagerduty: 'PagerDuty',
  pushbullet: 'Pushbullet',
  pushover: 'Pushover',
  slack: 'Slack',
  webhook: 'Webhook',
  webPush: 'Web push',
};
