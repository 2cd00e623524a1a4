import type { NotificationEvents } from './notification.events.ts';
import type { PreferenceEvents } from './preferences/preference.events.ts';
import { channelTable, type NotificationChannel, type Severity } from './preferences/preference.settings.ts';
import { changed, type Sentences, switched } from '../kernel/sentence.ts';

export const nameOfChannel = (channel: NotificationChannel): string => channelTable[channel].name;

const SEVERITIES: Readonly<Record<Severity, string>> = { 1: 'errors', 3: 'errors and timeouts' };

export const preferenceSentences = {
  NotificationSeverityChanged: ({ userId, from, to }, names) =>
    changed(`What ${names.user(userId)} hears of`, { from: SEVERITIES[from], to: SEVERITIES[to] }),
  NotificationChannelSwitched: ({ userId, channel, to }, names) =>
    switched(`Notifications of ${names.user(userId)} by ${nameOfChannel(channel)}`, to),
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
    `Notification of ${names.user(userId)} about ${subjectOf[kind](total)} by ${nameOfChannel(channel)} requested`,
  NotificationDelivered: ({ userId, channel, kind, attempts }, names) =>
    `${names.user(userId)} notified about ${subjectOf[kind](1)} by ${nameOfChannel(channel)}${attempts === 1 ? '' : `, at attempt ${String(attempts)}`}`,
  NotificationGivenUp: ({ userId, channel, kind, reason }, names) =>
    `Notification of ${names.user(userId)} about ${subjectOf[kind](1)} by ${nameOfChannel(channel)} abandoned: ${reason}`,
} satisfies Sentences<NotificationEvents>;
