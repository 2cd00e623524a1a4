import type { Events, LogEventOf } from '../events.ts';
import type { RoleId } from '../accounts/rights/roles.ts';
import { type SettingEventType, settingEvents } from './project.events.ts';
import type { ProjectSettings } from './project.settings.ts';
import type { Sealed } from '../kernel/event.ts';
import { shardOf } from '../platform/observations/shards.ts';
import { STATUSES_WORST_FIRST, type ProjectStatus, standingView } from './standing.view.ts';
import {
  gramsColumn,
  integerColumn,
  integersColumn,
  searchColumn,
  textColumn,
  textsColumn,
} from '../platform/read-models/authoring/columns.ts';
import { defineView, scopeId } from '../platform/read-models/authoring/define-view.ts';
import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import type { Project } from './project.state.ts';

export interface Member {
  readonly userId: number;
  readonly role: RoleId;
}

export interface Invited {
  readonly invitationId: string;
  readonly role: RoleId;
  /** The member who invited. */
  readonly by: number;
  readonly invitedAt: string;
  readonly expiresAt: string;
}

export interface OfferedTransfer {
  readonly transferId: string;
  readonly to: number;
  readonly offeredAt: string;
  readonly expiresAt: string;
}

export interface ProjectRow {
  readonly id: string;
  readonly payerId: number;
  readonly settings: ProjectSettings;
  readonly apiKey: Sealed;
  /** Created with the preset checks (docs/spec/decisions.md#P2). */
  readonly preset: boolean;
  readonly createdAt: string;
  /** Null until the homepage of the current url is inspected. */
  readonly isWordPress: boolean | null;
  /** In the order in which they were added; the owner is one of them. */
  readonly members: readonly Member[];
  /** Pending, in the order in which they were sent. */
  readonly invitations: readonly Invited[];
  /** Pending. */
  readonly transfer: OfferedTransfer | null;
  /** A summary of its checks, which every read adds to the row. */
  readonly status?: ProjectStatus;
}

const OWNER_ROLE: RoleId = '4';

type SettingHandlers = {
  readonly [Type in SettingEventType]: (row: ProjectRow | null, event: LogEventOf<Type>) => ProjectRow | null;
};

const settingHandlers = Object.fromEntries(
  Object.entries(settingEvents).map(([name, type]) => [
    type,
    (row: ProjectRow | null, { data }: LogEventOf<SettingEventType>) => row && { ...row, settings: { ...row.settings, [name]: data.to } },
  ]),
) as SettingHandlers; // one for each row of the table

/** An existing member keeps its position. */
const withMember = (row: ProjectRow | null, member: Member): ProjectRow | null => {
  if (row === null) return null;
  const known = row.members.some(({ userId }) => userId === member.userId);
  const members = known ? row.members.map((other) => (other.userId === member.userId ? member : other)) : [...row.members, member];
  return { ...row, members };
};

const withRole = (row: ProjectRow | null, { userId, to }: Events['MemberRoleChanged']): ProjectRow | null =>
  row && { ...row, members: row.members.map((member) => (member.userId === userId ? { userId, role: to } : member)) };

const withInvitation = (row: ProjectRow | null, invited: Invited): ProjectRow | null => {
  if (row === null) return null;
  const known = row.invitations.some(({ invitationId }) => invitationId === invited.invitationId);
  const invitations = known
    ? row.invitations.map((other) => (other.invitationId === invited.invitationId ? invited : other))
    : [...row.invitations, invited];
  return { ...row, invitations };
};

const withInvitedRole = (row: ProjectRow | null, { invitationId, to }: Events['InvitationRoleChanged']): ProjectRow | null =>
  row && { ...row, invitations: row.invitations.map((other) => (other.invitationId === invitationId ? { ...other, role: to } : other)) };

const withoutInvitation = (row: ProjectRow | null, ended: string): ProjectRow | null =>
  row && { ...row, invitations: row.invitations.filter(({ invitationId }) => invitationId !== ended) };

const withoutTransfer = (row: ProjectRow | null, ended: string): ProjectRow | null =>
  row && { ...row, transfer: row.transfer?.transferId === ended ? null : row.transfer };

const transferred = (row: ProjectRow | null, payerId: number): ProjectRow | null =>
  withMember(row && { ...row, payerId, transfer: null }, { userId: payerId, role: OWNER_ROLE });

/** The text that a search reads; no searched text contains the character between its parts. */
const wordsOf = ({ settings }: ProjectRow): string => `${settings.title}\u0001${settings.url}`;

export const projectView = defineView<ProjectRow>()({
  name: 'project',
  version: 6,
  scope: 'project',
  key: scopeId,
  on: {
    ProjectCreated: (_, { data, meta }) => ({
      id: data.projectId,
      payerId: data.payerId,
      settings: data.settings,
      apiKey: data.apiKey,
      preset: data.preset,
      createdAt: meta.occurredAt,
      isWordPress: null,
      members: [{ userId: data.payerId, role: OWNER_ROLE }],
      invitations: [],
      transfer: null,
    }),
    ...settingHandlers,
    ProjectUrlChanged: (row, event) => settingHandlers.ProjectUrlChanged(row && { ...row, isWordPress: null }, event),
    HomepageInspected: (row, { data }) => row && { ...row, isWordPress: data.isWordPress },
    TransferOffered: (row, { data, meta }) => row && { ...row, transfer: { ...data, offeredAt: meta.occurredAt } },
    TransferDeclined: (row, { data }) => withoutTransfer(row, data.transferId),
    TransferWithdrawn: (row, { data }) => withoutTransfer(row, data.transferId),
    TransferExpired: (row, { data }) => withoutTransfer(row, data.transferId),
    ProjectTransferred: (row, { data }) => transferred(row, data.to),
    ProjectDeleted: () => null,
    MemberInvited: (row, { data, meta }) => withInvitation(row, { ...data, invitedAt: meta.occurredAt }),
    InvitationRoleChanged: (row, { data }) => withInvitedRole(row, data),
    InvitationAccepted: (row, { data }) => withoutInvitation(row, data.invitationId),
    InvitationDeclined: (row, { data }) => withoutInvitation(row, data.invitationId),
    InvitationWithdrawn: (row, { data }) => withoutInvitation(row, data.invitationId),
    InvitationExpired: (row, { data }) => withoutInvitation(row, data.invitationId),
    MemberAdded: (row, { data: { userId, role } }) => withMember(row, { userId, role }),
    MemberRoleChanged: (row, { data }) => withRole(row, data),
    MemberRemoved: (row, { data }) => row && { ...row, members: row.members.filter(({ userId }) => userId !== data.userId) },
  },
  summaries: { status: { of: standingView, column: 'counts', values: STATUSES_WORST_FIRST } },
  columns: {
    members: integersColumn(({ members }: ProjectRow) => members.map(({ userId }) => userId)),
    title: textColumn(({ settings }: ProjectRow) => settings.title.toLowerCase()),
    siteKey: textColumn(({ settings }: ProjectRow) => settings.key ?? null),
    created: integerColumn(({ createdAt }: ProjectRow) => Date.parse(createdAt)),
    tags: textsColumn(({ settings }: ProjectRow) => (settings.tags ?? []).map((tag) => tag.toLowerCase())),
    words: searchColumn(wordsOf),
    grams: gramsColumn(wordsOf),
    shard: textColumn(({ id, settings }: ProjectRow) => shardOf(settings.location, id)),
  },
});

export const projectTag = (projectId: string, settings: ProjectSettings): string => settingsTag('project', projectId, settings);

/** Null where there is none, which the decision itself refuses. */
export const projectTagIn = (projectId: string, project: Project): string | null =>
  project.kind === 'open' ? projectTag(projectId, project.settings) : null;

export const projectThing: Thing = {
  name: 'project',
  row: ({ projectId }) =>
    thingRow(
      projectView,
      projectId,
      existing(({ settings }) => projectTag(projectId, settings)),
    ),
};

interface UsersOfProject {
  readonly payerId: number;
  readonly members: readonly { readonly userId: number; readonly role: RoleId }[];
  readonly invitations: readonly { readonly invitationId: string; readonly role: RoleId; readonly expiresAt: string }[];
}

export const usersTag = (projectId: string, { payerId, members, invitations }: UsersOfProject): string =>
  settingsTag('users', projectId, {
    payerId,
    members: Object.fromEntries(members.map(({ userId, role }) => [userId, role])),
    invitations: Object.fromEntries(invitations.map(({ invitationId, role, expiresAt }) => [invitationId, [role, expiresAt]])),
  });

export function usersTagIn(projectId: string, project: Project): string | null {
  if (project.kind !== 'open') return null;
  return usersTag(projectId, {
    payerId: project.payerId,
    members: [...project.members].map(([userId, role]) => ({ userId, role })),
    invitations: [...project.invitations].map(([invitationId, { role, expiresAt }]) => ({ invitationId, role, expiresAt })),
  });
}

export const usersThing: Thing = {
  name: 'users',
  row: ({ projectId }) =>
    thingRow(
      projectView,
      projectId,
      existing((row) => usersTag(projectId, row)),
    ),
};
