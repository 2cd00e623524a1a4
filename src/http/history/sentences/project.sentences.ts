import type { BadgeEvents } from '../../../domain/badge/badge.events.ts';
import type { DestinationEvents } from '../../../domain/destination/destination.events.ts';
import type { MaintenanceEvents } from '../../../domain/maintenance/maintenance.events.ts';
import type { NotificationEvents } from '../../../domain/notification/notification.events.ts';
import type { ImportedUptimeEvents } from '../../../domain/imported-uptime/imported-uptime.events.ts';
import type { ObjectiveEvents } from '../../../domain/objective/objective.events.ts';
import type { PreferenceEvents } from '../../../domain/preference/preference.events.ts';
import type { ProjectEvents } from '../../../domain/project/project.events.ts';
import { isSystemRole, roles, type ServiceRole } from '../../../domain/project/roles.ts';
import { changed, type Sentences, shown, switched } from './sentence.ts';

const nameOfRole = (role: ServiceRole): string => (isSystemRole(role) ? `system ${role}` : roles[role].name.toLowerCase());

export const projectSentences = {
  ProjectCreated: ({ settings, preset }) => `Project ${settings.title} created for ${settings.url}${preset ? ', with preset checks' : ''}`,
  ProjectRenamed: (data) => changed('Title', data),
  ProjectUrlChanged: (data) => changed('Project URL', data),
  PeriodChanged: (data) => changed('Check period', data),
  UptimeUrlChanged: (data) => changed('Uptime URL', data),
  UptimePeriodChanged: (data) => changed('Uptime period', data),
  LocationChanged: (data) => changed('Location', data),
  DefaultErrorsSwitched: ({ to }) => switched('Detection of known error pages', to),
  UserAgentChanged: (data) => changed('User agent', data),
  TimeoutChanged: (data) => changed('Timeout in seconds', data),
  DelayChanged: (data) => changed('Delay between requests in milliseconds', data),
  CertificateAlertPeriodChanged: (data) => changed('Certificate alert period in days', data),
  RedirectWatchSwitched: ({ to }) => switched('Monitoring of the redirect to https', to),
  WebPushSwitched: ({ to }) => switched('Browser push', to),
  SecurityMonitoringSwitched: ({ to }) => switched('Security monitoring', to),
  ProjectTagsChanged: ({ from, to }) => changed('Tags', { from: from.join(', '), to: to.join(', ') }),
  ProjectKeyChanged: (data) => changed('Key in site files', data),
  HomepageInspected: ({ isWordPress }) => `Homepage inspected: ${isWordPress ? 'it uses WordPress' : 'it does not use WordPress'}`,
  // Without the name: until the offer is accepted, the project sees only the number that its owner typed.
  TransferOffered: ({ to, expiresAt }) => `Project offered to user ${String(to)}, until ${expiresAt}`,
  TransferDeclined: () => 'Offer of the project declined',
  TransferWithdrawn: () => 'Offer of the project withdrawn',
  TransferExpired: () => 'Offer of the project expired',
  ProjectTransferred: ({ from, to }, names) => `Project transferred from ${names.user(from)} to ${names.user(to)}`,
  ProjectDeleted: ({ title, url }) => `Project ${title} (${url}) deleted`,
  ProjectCreationAbandoned: () => 'Abandoned: the project was never completed',
  MemberInvited: ({ role, expiresAt }) => `Invitation sent as ${roles[role].name.toLowerCase()}, valid until ${expiresAt}`,
  InvitationRoleChanged: ({ from, to }) =>
    `Role of an invitation changed from ${roles[from].name.toLowerCase()} to ${roles[to].name.toLowerCase()}`,
  InvitationAccepted: ({ userId }, names) => `Invitation accepted by ${names.user(userId)}`,
  InvitationDeclined: () => 'Invitation declined',
  InvitationWithdrawn: () => 'Invitation withdrawn',
  InvitationExpired: () => 'Invitation expired',
  MemberAdded: ({ userId, role }, names) => `${names.user(userId)} added as ${roles[role].name.toLowerCase()}`,
  MemberRoleChanged: ({ userId, from, to }, names) =>
    `Role of ${names.user(userId)} changed from ${roles[from].name.toLowerCase()} to ${roles[to].name.toLowerCase()}`,
  MemberRemoved: ({ userId }, names) => `${names.user(userId)} removed`,
  ServiceAccountCreated: ({ name, role }) => `Service account ${name} created as ${nameOfRole(role)}`,
  ServiceAccountRenamed: (data) => changed('Name of a service account', data),
  ServiceAccountRoleChanged: ({ from, to }) => `Role of a service account changed from ${nameOfRole(from)} to ${nameOfRole(to)}`,
  ServiceAccountDeleted: ({ name }) => `Service account ${name} deleted, and its tokens revoked`,
  ServiceTokenIssued: ({ name, expiresAt }) => `Token ${name} of a service account created, valid until ${expiresAt}`,
  ServiceTokenRevoked: () => 'Token of a service account revoked',
} satisfies Sentences<ProjectEvents>;

export const preferenceSentences = {
  NotificationSeverityChanged: ({ userId, ...data }, names) => changed(`Notification severity of ${names.user(userId)}`, data),
  NotificationChannelSwitched: ({ userId, channel, to }, names) => switched(`Notifications of ${names.user(userId)} by ${channel}`, to),
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
    `Notification of ${names.user(userId)} about ${subjectOf[kind](total)} by ${channel} requested`,
  NotificationDelivered: ({ userId, channel, kind, attempts }, names) =>
    `${names.user(userId)} notified about ${subjectOf[kind](1)} by ${channel}${attempts === 1 ? '' : `, at attempt ${String(attempts)}`}`,
  NotificationGivenUp: ({ userId, channel, kind, reason }, names) =>
    `Notification of ${names.user(userId)} about ${subjectOf[kind](1)} by ${channel} abandoned: ${reason}`,
} satisfies Sentences<NotificationEvents>;

export const maintenanceSentences = {
  MaintenanceScheduled: ({ from, to, note, repeat }) =>
    `Maintenance from ${from} to ${to}${repeat === null ? '' : `, ${repeat}`}${note === '' ? '' : `: ${note}`}`,
  MaintenanceCancelled: ({ keepsPast }) => (keepsPast ? 'Maintenance ended' : 'Maintenance cancelled'),
} satisfies Sentences<MaintenanceEvents>;

export const badgeSentences = {
  BadgePublished: () => 'Public badge switched on',
  BadgeWithdrawn: () => 'Public badge switched off',
} satisfies Sentences<BadgeEvents>;

export const objectiveSentences = {
  ObjectiveSet: ({ target, methods }) =>
    `Objective set: ${target === null ? 'no target' : `${String(target.percent)} % a ${target.window}`}, by ${methods.map(({ name }) => name).join(' and ')}`,
  ObjectiveRemoved: () => 'Objective removed',
} satisfies Sentences<ObjectiveEvents>;

export const importedUptimeSentences = {
  UptimeImported: ({ origin, from, up }) => `Uptime of ${String(up.length)} days from ${from} ${origin.replace(':', ' from ')}`,
  ImportedUptimeRemoved: ({ origin }) => `Uptime ${origin.replace(':', ' from ')} removed`,
} satisfies Sentences<ImportedUptimeEvents>;

export const destinationSentences = {
  DestinationAdded: ({ name, host, after }) => `Destination ${shown(name)} at ${host} added, for events after ${String(after)}`,
  DestinationChanged: ({ name, host }) => `Destination ${shown(name)} at ${host} changed`,
  DestinationPaused: ({ destinationId, reason }) => `Destination ${destinationId} paused: ${reason}`,
  DestinationResumed: ({ destinationId }) => `Destination ${destinationId} resumed`,
  DestinationReplayed: ({ destinationId, after, scope }) =>
    `Destination ${destinationId} replays events${scope === null ? '' : ` of ${scope}`} after ${String(after)}`,
  DestinationRemoved: ({ name }) => `Destination ${shown(name)} removed`,
} satisfies Sentences<DestinationEvents>;
