import { DomainError } from '../../kernel/errors.ts';
import { requireOpenProject } from './decisions.ts';
import { MembershipRefused } from './membership-refused.ts';
import type { OpenProject, Project, ProjectEvent } from './project.ts';
import { mayGrant, type RoleId, roles } from './roles.ts';

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

/** Adding who is there already changes the role. */
export function addMember(state: Project, wanted: Membership, by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  if (project.members.has(wanted.userId)) return changeRole(state, wanted, by);
  mustGrant(project, wanted.role, by);
  return [{ type: 'MemberAdded', data: wanted }];
}

export function changeRole(state: Project, { userId, role }: Membership, by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  const from = project.members.get(userId);
  if (from === undefined) throw new MemberNotFound([userId]);
  mustGrant(project, role, by);
  if (from === role) return [];
  if (userId === project.payerId) throw new MembershipRefused('The role of the project owner cannot be changed.');
  return [{ type: 'MemberRoleChanged', data: { userId, from, to: role } }];
}

/** Removes all or none. Members may always remove themselves, except the owner. */
export function removeMembers(state: Project, userIds: readonly number[], by: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  const leaving = userIds.every((userId) => userId === by);
  if (!project.members.has(by)) throw new MembershipRefused('You are not a user of this project.');
  if (!leaving) mustManage(project, by);
  if (userIds.includes(project.payerId))
    throw new MembershipRefused('The project owner cannot be removed. Delete or transfer the project instead.');
  const strangers = userIds.filter((userId) => !project.members.has(userId));
  if (strangers.length > 0) throw new MemberNotFound(strangers);
  return [...new Set(userIds)].map((userId) => ({ type: 'MemberRemoved', data: { userId } }));
}

/** Removes the membership of an erased account; needs no right. */
export function dismissMember(state: Project, userId: number): readonly ProjectEvent[] {
  if (state.kind !== 'open' || !state.members.has(userId) || state.payerId === userId) return [];
  return [{ type: 'MemberRemoved', data: { userId } }];
}

/** A repeated transfer to the same owner is a success that changes nothing. */
export function transfer(state: Project, to: number, by: number): readonly ProjectEvent[] {
  const { payerId } = requireOpenProject(state);
  if (payerId === to) return [];
  if (payerId !== by) throw new MembershipRefused('Only the project owner can transfer the project.');
  return [{ type: 'ProjectTransferred', data: { from: payerId, to } }];
}

function mustManage(project: OpenProject, by: number): RoleId {
  const role = project.members.get(by);
  if (role === undefined || !roles[role].permissions.includes('manageUsers'))
    throw new MembershipRefused('You may not manage the users of this project.');
  return role;
}

function mustGrant(project: OpenProject, role: RoleId, by: number): void {
  if (!mayGrant(mustManage(project, by), role)) throw new MembershipRefused('You cannot grant more than you hold.');
}
