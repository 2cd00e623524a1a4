import type { MaintenanceEvents } from './maintenance/maintenance.events.ts';
import type { ObjectiveEvents } from './objectives/objective.events.ts';
import type { ProjectEvents } from './project.events.ts';
import type { ProjectSettings } from './project.settings.ts';
import { isSystemRole, roles, type ServiceRole } from '../accounts/rights/roles.ts';
import { changed, changedPeriod, type Sentences, switched } from '../kernel/sentence.ts';

/** `guest`: the name of the API repeats that it is one of a project. */
const nameOfMember = (role: keyof typeof roles): string => roles[role].name.replace('Project ', '');
const nameOfRole = (role: ServiceRole): string => (isSystemRole(role) ? `system ${role}` : nameOfMember(role));

const UPTIME_PERIODS: Readonly<Record<ProjectSettings['uptimePeriod'], string>> = {
  false: 'not watched',
  '15': '15 s',
  '30': '30 s',
  '60': '60 s',
};

export const projectSentences = {
  ProjectCreated: ({ settings, preset }) => `Site ${settings.title} created for ${settings.url}${preset ? ', with preset checks' : ''}`,
  ProjectRenamed: (data) => changed('Title', data),
  ProjectUrlChanged: (data) => changed('Address', data),
  PeriodChanged: (data) => changedPeriod('Period of the checks', data),
  UptimeUrlChanged: (data) => changed('Address of the uptime probes', data),
  UptimePeriodChanged: ({ from, to }) => changed('Period of the uptime probes', { from: UPTIME_PERIODS[from], to: UPTIME_PERIODS[to] }),
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
  TransferOffered: ({ to, expiresAt }) => `Site offered to user ${String(to)}, until ${expiresAt}`,
  TransferDeclined: () => 'Offer of the site declined',
  TransferWithdrawn: () => 'Offer of the site withdrawn',
  TransferExpired: () => 'Offer of the site expired',
  ProjectTransferred: ({ from, to }, names) => `Site transferred from ${names.user(from)} to ${names.user(to)}`,
  ProjectDeleted: ({ title, url }) => `Site ${title} (${url}) deleted`,
  ProjectCreationAbandoned: () => 'Abandoned: the site was never completed',
  MemberInvited: ({ role, expiresAt }) => `Invitation sent as ${nameOfMember(role)}, valid until ${expiresAt}`,
  InvitationRoleChanged: ({ from, to }) => `Role of an invitation changed from ${nameOfMember(from)} to ${nameOfMember(to)}`,
  InvitationAccepted: ({ userId }, names) => `Invitation accepted by ${names.user(userId)}`,
  InvitationDeclined: () => 'Invitation declined',
  InvitationWithdrawn: () => 'Invitation withdrawn',
  InvitationExpired: () => 'Invitation expired',
  MemberAdded: ({ userId, role }, names) => `${names.user(userId)} added as ${nameOfMember(role)}`,
  MemberRoleChanged: ({ userId, from, to }, names) =>
    `Role of ${names.user(userId)} changed from ${nameOfMember(from)} to ${nameOfMember(to)}`,
  MemberRemoved: ({ userId }, names) => `${names.user(userId)} removed`,
  ServiceAccountCreated: ({ name, role }) => `Service account ${name} created as ${nameOfRole(role)}`,
  ServiceAccountRenamed: (data) => changed('Name of a service account', data),
  ServiceAccountRoleChanged: ({ from, to }) => `Role of a service account changed from ${nameOfRole(from)} to ${nameOfRole(to)}`,
  ServiceAccountDeleted: ({ name }) => `Service account ${name} deleted, and its tokens revoked`,
  ServiceTokenIssued: ({ name, expiresAt }) => `Token ${name} of a service account created, valid until ${expiresAt}`,
  ServiceTokenRevoked: () => 'Token of a service account revoked',
} satisfies Sentences<ProjectEvents>;

export const maintenanceSentences = {
  MaintenanceScheduled: ({ from, to, note, repeat }) =>
    `Maintenance from ${from} to ${to}${repeat === null ? '' : `, ${repeat}`}${note === '' ? '' : `: ${note}`}`,
  MaintenanceCancelled: ({ keepsPast }) => (keepsPast ? 'Maintenance ended' : 'Maintenance cancelled'),
} satisfies Sentences<MaintenanceEvents>;

export const objectiveSentences = {
  ObjectiveSet: ({ target, methods }) =>
    `Objective set: ${target === null ? 'no target' : `${String(target.percent)} % a ${target.window}`}, by ${methods.map(({ name }) => name).join(' and ')}`,
  ObjectiveRemoved: () => 'Objective removed',
} satisfies Sentences<ObjectiveEvents>;
