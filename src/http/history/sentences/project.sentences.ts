import type { BadgeEvents } from '../../../domain/badge/badge.events.ts';
import type { MaintenanceEvents } from '../../../domain/maintenance/maintenance.events.ts';
import type { NotificationEvents } from '../../../domain/notification/notification.events.ts';
import type { PreferenceEvents } from '../../../domain/preference/preference.events.ts';
import type { ProjectEvents } from '../../../domain/project/project.events.ts';
import { roles } from '../../../domain/project/roles.ts';
import { changed, type Sentences, switched } from './sentence.ts';

export const projectSentences = {
  ProjectCreated: ({ settings, preset }) => `Project ${settings.title} created for ${settings.url}${preset ? ', with preset checks' : ''}`,
  ProjectRenamed: (data) => changed('Title', data),
  ProjectUrlChanged: (data) => changed('Project url', data),
  PeriodChanged: (data) => changed('Period of the checks', data),
  UptimeUrlChanged: (data) => changed('Uptime url', data),
  UptimePeriodChanged: (data) => changed('Uptime period', data),
  LocationChanged: (data) => changed('Location', data),
  DefaultErrorsSwitched: ({ to }) => switched('Looking for known error pages', to),
  UserAgentChanged: (data) => changed('User agent', data),
  TimeoutChanged: (data) => changed('Timeout in seconds', data),
  DelayChanged: (data) => changed('Delay between requests in milliseconds', data),
  CertificateAlertPeriodChanged: (data) => changed('Alert period of the certificate in days', data),
  RedirectWatchSwitched: ({ to }) => switched('Watching the redirect to https', to),
  WebPushSwitched: ({ to }) => switched('Browser push', to),
  SecurityMonitoringSwitched: ({ to }) => switched('Security monitoring', to),
  HomepageInspected: ({ isWordPress }) =>
    `The homepage was looked at: ${isWordPress ? 'it is made with WordPress' : 'it is not made with WordPress'}`,
  ProjectTransferred: ({ from, to }, names) => `Project transferred from ${names.user(from)} to ${names.user(to)}`,
  ProjectDeleted: ({ title, url }) => `Project ${title} (${url}) deleted`,
  ProjectCreationAbandoned: () => 'A creation that nobody finished was given up',
  MemberAdded: ({ userId, role }, names) => `${names.user(userId)} added as ${roles[role].name.toLowerCase()}`,
  MemberRoleChanged: ({ userId, from, to }, names) =>
    `Role of ${names.user(userId)} changed from ${roles[from].name.toLowerCase()} to ${roles[to].name.toLowerCase()}`,
  MemberRemoved: ({ userId }, names) => `${names.user(userId)} removed`,
} satisfies Sentences<ProjectEvents>;

export const preferenceSentences = {
  NotificationSeverityChanged: ({ userId, ...data }, names) => changed(`Severity that ${names.user(userId)} is told of`, data),
  NotificationChannelSwitched: ({ userId, channel, to }, names) => switched(`Notifications of ${names.user(userId)} by ${channel}`, to),
} satisfies Sentences<PreferenceEvents>;

const toldOf = {
  problem: (total: number) => (total === 1 ? 'of a problem' : `of ${String(total)} problems`),
  recovery: (total: number) => (total === 1 ? 'of a recovery' : `of ${String(total)} recoveries`),
  withdrawal: () => 'that what failed is watched no longer',
  report: () => 'how the week was',
} as const;

export const notificationSentences = {
  NotificationRequested: ({ userId, channel, kind, total }, names) =>
    `${names.user(userId)} is to be told ${toldOf[kind](total)} by ${channel}`,
  NotificationDelivered: ({ userId, channel, kind, attempts }, names) =>
    `${names.user(userId)} was told ${toldOf[kind](1)} by ${channel}${attempts === 1 ? '' : `, at attempt ${String(attempts)}`}`,
  NotificationGivenUp: ({ userId, channel, kind, reason }, names) =>
    `${names.user(userId)} could not be told ${toldOf[kind](1)} by ${channel}: ${reason}`,
} satisfies Sentences<NotificationEvents>;

export const maintenanceSentences = {
  MaintenanceScheduled: ({ from, to, note, repeat }) =>
    `Maintenance from ${from} to ${to}${repeat === null ? '' : `, ${repeat}`}${note === '' ? '' : `: ${note}`}`,
  MaintenanceCancelled: ({ keepsPast }) => (keepsPast ? 'Repeating maintenance ended' : 'Maintenance cancelled'),
} satisfies Sentences<MaintenanceEvents>;

export const badgeSentences = {
  BadgePublished: () => 'Public badge switched on',
  BadgeWithdrawn: () => 'Public badge switched off',
} satisfies Sentences<BadgeEvents>;
