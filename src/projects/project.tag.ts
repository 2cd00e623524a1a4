import { settingsTag } from '../platform/commands/settings-tag.ts';
import { existing, type Thing, thingRow } from '../platform/http/conditions/thing.ts';
import type { RoleId } from '../accounts/rights/roles.ts';
import type { ProjectSettings } from './project.settings.ts';
import type { Project } from './project.state.ts';
import { projectView } from './project.view.ts';

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
