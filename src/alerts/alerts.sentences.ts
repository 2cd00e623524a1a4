import type { NotificationEvents } from './notification.events.ts';
import type { PreferenceEvents } from './preferences/preference.events.ts';
import type { NotificationChannel, Severity } from './preferences/preference.settings.ts';
import { changed, type Sentences, switched } from '../kernel/sentence.ts';

/** As their makers write them. */
export const CHANNEL_WORDS: Readonly<Record<NotificationChannel, string>> = {
  email: 'e-mail',
  pagerduty: 'PagerDuty',
  pushover: 'Pushover',
  pushbullet: 'Pushbullet',
  slack: 'Slack',
  webPush: 'web push',
  webhook: 'webhook',
};

const SEVERITIES: Readonly<Record<Severity, string>> = { 1: 'errors', 3: 'errors and timeouts' };

export const preferenceSentences = {
  NotificationSeverityChanged: ({ userId, from, to }, names) =>
    changed(`What ${names.user(userId)} hears of`, { from: SEVERITIES[from], to: SEVERITIES[to] }),
  NotificationChannelSwitched: ({ userId, channel, to }, names) =>
    switched(`Notifications of ${names.user(userId)} by ${CHANNEL_WORDS[channel]}`, to),
} satisfies Sentences<PreferenceEvents>;

const subjectOf = {
  problem: (total: number) => (total === 1 ? 'a problem' : `${String(total)} problems`),
  recovery: (total: number) => (total === 1 ? 'a recovery' : `${String(total)} recoveries`),
  withdrawal: () => 'the end of monitoring',
  report: () => 'the weekly report',
  notice: () => 'a change of the account',
} as const;

export const notificationSentences = {
  NotificationRequested: ({ userId, channel, kind, total }, names) =>
    `Notification of ${names.user(userId)} about ${subjectOf[kind](total)} by ${CHANNEL_WORDS[channel]} requested`,
  NotificationDelivered: ({ userId, channel, kind, attempts }, names) =>
    `${names.user(userId)} notified about ${subjectOf[kind](1)} by ${CHANNEL_WORDS[channel]}${attempts === 1 ? '' : `, at attempt ${String(attempts)}`}`,
  NotificationGivenUp: ({ userId, channel, kind, reason }, names) =>
    `Notification of ${names.user(userId)} about ${subjectOf[kind](1)} by ${CHANNEL_WORDS[channel]} abandoned: ${reason}`,
} satisfies Sentences<NotificationEvents>;
