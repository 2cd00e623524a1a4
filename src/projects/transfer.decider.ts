import { requireOpenProject } from './project.decider.ts';
import { hasExpired, InvitationNotFound } from './members/invitation.decider.ts';
import { MembershipRefused } from './membership-refused.ts';
import type { OpenProject, PendingTransfer, Project, ProjectEvent } from './project.state.ts';

/** Another offer replaces the pending one. Repeating it, and an offer to the owner, are successes that change nothing. */
export function offerTransfer(state: Project, wanted: PendingTransfer, by: number, now: number): readonly ProjectEvent[] {
  const { payerId, transfer } = requireOpenProject(state);
  if (payerId === wanted.to) return [];
  mustOwn(payerId, by);
  return transfer?.to === wanted.to && !hasExpired(transfer, now) ? [] : [{ type: 'TransferOffered', data: wanted }];
}

export function acceptTransfer(state: Project, transferId: string, userId: number, now: number): readonly ProjectEvent[] {
  const { payerId, transfer } = requireOpenProject(state);
  if (transfer?.transferId !== transferId || transfer.to !== userId || hasExpired(transfer, now)) throw new InvitationNotFound();
  return [{ type: 'ProjectTransferred', data: { from: payerId, to: userId } }];
}

export function withdrawTransfer(state: Project, by: number): readonly ProjectEvent[] {
  const { payerId, transfer } = requireOpenProject(state);
  mustOwn(payerId, by);
  return transfer === null ? [] : [{ type: 'TransferWithdrawn', data: { transferId: transfer.transferId } }];
}

export const declineTransfer = (state: Project, transferId: string): readonly ProjectEvent[] =>
  offered(state, transferId) === null ? [] : [{ type: 'TransferDeclined', data: { transferId } }];

export function expireTransfer(state: Project, transferId: string, now: number): readonly ProjectEvent[] {
  const transfer = offered(state, transferId);
  return transfer !== null && hasExpired(transfer, now) ? [{ type: 'TransferExpired', data: { transferId } }] : [];
}

const offered = (state: Project, transferId: string): PendingTransfer | null =>
  state.kind === 'open' && state.transfer?.transferId === transferId ? state.transfer : null;

function mustOwn(payerId: OpenProject['payerId'], by: number): void {
  if (payerId !== by) throw new MembershipRefused('Only the project owner can transfer the project.');
}
