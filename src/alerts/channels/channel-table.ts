import { type NotificationChannel, notificationChannels } from '../preferences/preference.settings.ts';
import type { Channel } from './channel.ts';
import { emailChannel } from './email.channel.ts';
import { pagerdutyChannel } from './pagerduty.channel.ts';
import { pushbulletChannel } from './pushbullet.channel.ts';
import { pushoverChannel } from './pushover.channel.ts';
import { slackChannel } from './slack.channel.ts';
import { webhookChannel } from './webhook.channel.ts';
import { webPushChannel } from './web-push.channel.ts';

/** A new channel is a file and a row here. */
export const channels = {
  email: emailChannel,
  pagerduty: pagerdutyChannel,
  pushover: pushoverChannel,
  pushbullet: pushbulletChannel,
  slack: slackChannel,
  webPush: webPushChannel,
  webhook: webhookChannel,
} satisfies Record<NotificationChannel, Channel>;

const rows: Readonly<Record<NotificationChannel, Channel>> = channels;
/** Channels whose problems open incidents that have to be resolved. */
export const incidentChannels: readonly NotificationChannel[] = notificationChannels.filter((name) => rows[name].opensIncidents === true);
