import { DomainError } from '../../kernel/errors.ts';
import { requireOpenProject } from '../project.decider.ts';
import { invitationNumber } from '../invitation-number.ts';
import { MembershipRefused } from '../membership-refused.ts';
import type { OpenProject, Project, ProjectEvent } from '../project.state.ts';
import { mayGrant, type RoleId, roles } from '../../accounts/rights/roles.ts';

export class MemberNotFound extends DomainError {
  readonly code = 'MEMBER_NOT_FOUND';

  constructor(userIds: readonly number[]) {
    super(`users: not a user of this project: ${userIds.join(', ')}`);
  }
}

export interface Membership {
  readonly userId: number;
  readonly role: RoleId;
}

/** Changes the role of a member, or of a pending invitation by its number. */
export function changeRole(state: Project, { userId, role }: Membership, by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  const from = project.members.get(userId);
  if (from === undefined) return changeInvitedRole(project, { userId, role }, by);
  mustGrant(project, role, by);
  if (from === role) return [];
  if (userId === project.payerId) throw new MembershipRefused('The role of the project owner cannot be changed.');
  return [{ type: 'MemberRoleChanged', data: { userId, from, to: role } }];
}

function changeInvitedRole(project: OpenProject, { userId, role }: Membership, by: number): readonly ProjectEvent[] {
  const invitationId = invitationOf(project, userId);
  const from = invitationId === null ? undefined : project.invitations.get(invitationId)?.role;
  if (invitationId === null || from === undefined) throw new MemberNotFound([userId]);
  mustGrant(project, role, by);
  return from === role ? [] : [{ type: 'InvitationRoleChanged', data: { invitationId, from, to: role } }];
}

/** Removes all or none; the number of an invitation withdraws it. Members may always remove themselves, except the owner. */
export function removeMembers(state: Project, userIds: readonly number[], by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  const leaving = userIds.every((userId) => userId === by);
  if (!project.members.has(by)) throw new MembershipRefused('You are not a user of this project.');
  if (!leaving) mustManage(project, by);
  if (userIds.includes(project.payerId))
    throw new MembershipRefused('The project owner cannot be removed. Delete or transfer the project instead.');
  const ends = [...new Set(userIds)].map((userId) => ({ userId, event: endOf(project, userId) }));
  const strangers = ends.filter(({ event }) => event === null).map(({ userId }) => userId);
  if (strangers.length > 0) throw new MemberNotFound(strangers);
  return ends.flatMap(({ event }) => event ?? []);
}

function endOf(project: OpenProject, userId: number): ProjectEvent | null {
  if (project.members.has(userId)) return { type: 'MemberRemoved', data: { userId } };
  const invitationId = invitationOf(project, userId);
  return invitationId === null ? null : { type: 'InvitationWithdrawn', data: { invitationId } };
}

const invitationOf = (project: OpenProject, number: number): string | null =>
  [...project.invitations.keys()].find((invitationId) => invitationNumber(invitationId) === number) ?? null;

/** Removes the membership of an erased account; needs no right. */
export function dismissMember(state: Project, userId: number): readonly ProjectEvent[] {
  if (state.kind !== 'open' || !state.members.has(userId) || state.payerId === userId) return [];
  return [{ type: 'MemberRemoved', data: { userId } }];
}

export function mustManage(project: OpenProject, by: number): RoleId {
  const role = project.members.get(by);
  if (role === undefined || !roles[role].permissions.includes('manageUsers'))
    throw new MembershipRefused('You may not manage the users of this project.');
  return role;
}

export function mustGrant(project: OpenProject, role: RoleId, by: number): void {
  if (!mayGrant(mustManage(project, by), role)) throw new MembershipRefused('You cannot grant more than you hold.');
}
