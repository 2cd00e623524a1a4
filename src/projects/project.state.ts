import type { Decider } from '../kernel/decider.ts';
import type { EventOf } from '../kernel/event.ts';
import { settingOfEvent } from '../kernel/change.ts';
import { type ProjectEvents, settingEvents } from './project.events.ts';
import { isSystemRole, type RoleId, serviceNumber } from '../accounts/rights/roles.ts';
import type { ProjectSettings } from './project.settings.ts';
import { evolveServiceAccounts, isOfServiceAccount, type ServiceAccounts } from './service-accounts/service-account.state.ts';
import { projectStream } from '../kernel/stream-names.ts';

export type ProjectEvent = EventOf<ProjectEvents>;

export interface PendingInvitation {
  readonly role: RoleId;
  readonly by: number;
  readonly expiresAt: string;
}

export interface PendingTransfer {
  readonly transferId: string;
  readonly to: number;
  readonly expiresAt: string;
}

export interface OpenProject {
  readonly kind: 'open';
  readonly payerId: number;
  readonly settings: ProjectSettings;
  readonly members: ReadonlyMap<number, RoleId>;
  /** By id. */
  readonly invitations: ReadonlyMap<string, PendingInvitation>;
  readonly transfer: PendingTransfer | null;
  /** By id. */
  readonly serviceAccounts: ServiceAccounts;
  /** Null until the homepage of the current url is inspected. */
  readonly isWordPress: boolean | null;
  /** Created with preset checks; checks for the links of the homepage follow its inspection. */
  readonly awaitsLinks: boolean;
}

export type Project = { readonly kind: 'none' } | { readonly kind: 'abandoned' } | OpenProject | { readonly kind: 'deleted' };

const settingOf = settingOfEvent(settingEvents);

const initial: Project = { kind: 'none' };

function evolve(project: Project, event: ProjectEvent): Project {
  switch (event.type) {
    case 'ProjectCreated': {
      const { payerId, settings, preset } = event.data;
      const members = new Map([[payerId, '4']] as const);
      return {
        kind: 'open',
        payerId,
        settings,
        members,
        invitations: new Map(),
        transfer: null,
        serviceAccounts: new Map(),
        isWordPress: null,
        awaitsLinks: preset,
      };
    }
    case 'ProjectCreationAbandoned':
      return { kind: 'abandoned' };
    case 'ProjectDeleted':
      return { kind: 'deleted' };
    default:
      return project.kind === 'open' ? evolveOpen(project, event) : project;
  }
}

function evolveOpen(
  project: OpenProject,
  event: Exclude<ProjectEvent, { type: 'ProjectCreated' | 'ProjectCreationAbandoned' | 'ProjectDeleted' }>,
): OpenProject {
  if (isOfServiceAccount(event)) return { ...project, serviceAccounts: evolveServiceAccounts(project.serviceAccounts, event) };
  switch (event.type) {
    case 'HomepageInspected':
      return { ...project, isWordPress: event.data.isWordPress, awaitsLinks: false };
    case 'ProjectUrlChanged':
      return { ...project, isWordPress: null, settings: { ...project.settings, url: event.data.to } };
    case 'ProjectTransferred':
      return { ...project, payerId: event.data.to, members: new Map(project.members).set(event.data.to, '4'), transfer: null };
    case 'TransferOffered':
    case 'TransferDeclined':
    case 'TransferWithdrawn':
    case 'TransferExpired':
      return { ...project, transfer: evolveTransfer(project.transfer, event) };
    case 'MemberInvited':
    case 'InvitationRoleChanged':
    case 'InvitationAccepted':
    case 'InvitationDeclined':
    case 'InvitationWithdrawn':
    case 'InvitationExpired':
      return { ...project, invitations: evolveInvitations(project.invitations, event) };
    case 'MemberAdded':
      return { ...project, members: new Map(project.members).set(event.data.userId, event.data.role) };
    case 'MemberRoleChanged':
      return { ...project, members: new Map(project.members).set(event.data.userId, event.data.to) };
    case 'MemberRemoved': {
      const members = new Map(project.members);
      members.delete(event.data.userId);
      return { ...project, members };
    }
    default: {
      const setting = settingOf(event.type);
      return setting === null ? project : { ...project, settings: { ...project.settings, [setting]: event.data.to } };
    }
  }
}

type TransferEvent = Extract<ProjectEvent, { type: `Transfer${string}` }>;

function evolveTransfer(transfer: PendingTransfer | null, event: TransferEvent): PendingTransfer | null {
  if (event.type === 'TransferOffered') return event.data;
  return transfer?.transferId === event.data.transferId ? null : transfer;
}

type InvitationEvent = Extract<ProjectEvent, { type: 'MemberInvited' | `Invitation${string}` }>;

function evolveInvitations(pending: OpenProject['invitations'], event: InvitationEvent): OpenProject['invitations'] {
  const invitations = new Map(pending);
  if (event.type === 'MemberInvited') {
    const { invitationId, ...invited } = event.data;
    return invitations.set(invitationId, invited);
  }
  const { invitationId } = event.data;
  const known = pending.get(invitationId);
  if (event.type !== 'InvitationRoleChanged') invitations.delete(invitationId);
  else if (known !== undefined) invitations.set(invitationId, { ...known, role: event.data.to });
  return invitations;
}

/** The role of a member, or of a service account by its number; undefined for anyone else. */
export function roleOf({ members, serviceAccounts }: OpenProject, by: number): RoleId | undefined {
  const role = members.get(by) ?? [...serviceAccounts].find(([id]) => serviceNumber(id) === by)?.[1].role;
  return role === undefined || isSystemRole(role) ? undefined : role;
}

export const project: Decider<Project, ProjectEvent> = { initial, evolve };

export const projectTarget = (projectId: string) => ({
  stream: projectStream(projectId),
  scope: projectStream(projectId),
  decider: project,
});
