import { DomainError } from '../../kernel/errors.ts';
import { requireOpenProject } from '../project.decider.ts';
import { mustGrant } from './member.decider.ts';
import type { PendingInvitation, Project, ProjectEvent } from '../project.state.ts';

/** One message for an invitation or an offer that never existed and one that has ended. */
export class InvitationNotFound extends DomainError {
  readonly code = 'INVITATION_NOT_FOUND';

  constructor() {
    super('The invitation was not found: it was answered or withdrawn, or has expired.');
  }
}

export class TooManyInvitations extends DomainError {
  readonly code = 'TOO_MANY_INVITATIONS';

  constructor(most: number) {
    super(`A project has at most ${String(most)} open invitations; withdraw one first.`);
  }
}

export interface WantedInvitation extends PendingInvitation {
  readonly invitationId: string;
}

/** Inviting again replaces role and expiry. */
export function invite(state: Project, wanted: WantedInvitation, most: number): readonly ProjectEvent[] {
  const project = requireOpenProject(state);
  mustGrant(project, wanted.role, wanted.by);
  if (!project.invitations.has(wanted.invitationId) && project.invitations.size >= most) throw new TooManyInvitations(most);
  return [{ type: 'MemberInvited', data: wanted }];
}

/** The caller has checked that the account is the addressee's. An account that has become a member in another way keeps that role. */
export function acceptInvitation(state: Project, invitationId: string, userId: number, now: number): readonly ProjectEvent[] {
  const { invitations, members } = requireOpenProject(state);
  const pending = invitations.get(invitationId);
  if (pending === undefined || hasExpired(pending, now)) throw new InvitationNotFound();
  const accepted: ProjectEvent = { type: 'InvitationAccepted', data: { invitationId, userId } };
  return members.has(userId) ? [accepted] : [accepted, { type: 'MemberAdded', data: { userId, role: pending.role } }];
}

export const declineInvitation = (state: Project, invitationId: string): readonly ProjectEvent[] =>
  isInvited(state, invitationId) ? [{ type: 'InvitationDeclined', data: { invitationId } }] : [];

/** For an invitation whose addressee could not be kept; needs no right. */
export const withdrawInvitation = (state: Project, invitationId: string): readonly ProjectEvent[] =>
  isInvited(state, invitationId) ? [{ type: 'InvitationWithdrawn', data: { invitationId } }] : [];

export function expireInvitation(state: Project, invitationId: string, now: number): readonly ProjectEvent[] {
  const pending = state.kind === 'open' ? state.invitations.get(invitationId) : undefined;
  return pending !== undefined && hasExpired(pending, now) ? [{ type: 'InvitationExpired', data: { invitationId } }] : [];
}

export const hasExpired = ({ expiresAt }: { readonly expiresAt: string }, now: number): boolean => Date.parse(expiresAt) <= now;

const isInvited = (state: Project, invitationId: string): boolean => state.kind === 'open' && state.invitations.has(invitationId);
