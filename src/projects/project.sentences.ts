import type { MaintenanceEvents } from './maintenance/maintenance.events.ts';
import type { ObjectiveEvents } from './objectives/objective.events.ts';
import { type ProjectEvents, type SettingEventType, settingEvents } from './project.events.ts';
import { settingRows } from './project.settings.ts';
import type { Change } from '../kernel/change.ts';
import { isSystemRole, roles, type ServiceRole } from '../accounts/rights/roles.ts';
import { changed, type Sentences, switched } from '../kernel/sentence.ts';

/** `guest`: the name of the API repeats that it is one of a project. */
const nameOfMember = (role: keyof typeof roles): string => roles[role].name.replace('Project ', '');
const nameOfRole = (role: ServiceRole): string => (isSystemRole(role) ? `system ${role}` : nameOfMember(role));

const settingSentences = Object.fromEntries(
  settingRows.map(([setting, { name, shown = (value: unknown) => value }]) => [
    settingEvents[setting],
    ({ from, to }: Change<unknown>) => (typeof to === 'boolean' ? switched(name, to) : changed(name, { from: shown(from), to: shown(to) })),
  ]),
) as Readonly<Record<SettingEventType, (data: Change<unknown>) => string>>; // one for each row of the table

export const projectSentences = {
  ProjectCreated: ({ settings, preset }) => `Site ${settings.title} created for ${settings.url}${preset ? ', with preset checks' : ''}`,
  ...settingSentences,
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
