import { Injectable } from '@nestjs/common';
import { invitationNumber } from '../invitation-number.ts';
import { type RoleId, roles } from '../../accounts/rights/roles.ts';
import { accountView } from '../../accounts/account.view.ts';
import { type ProjectRow, projectView } from '../project.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Invitations, type StoredInvitation } from '../../accounts/tokens/invitations.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { InvitationAnswer, OfferedTransferAnswer } from './invitation.api.ts';

/** A pending member as the project sees them: what was typed, and nothing of the account that the address may have. */
export interface PendingMember {
  readonly userId: number;
  readonly email: string | null;
  readonly role: RoleId;
  readonly expiresAt: string;
}

/** Pending invitations and offered transfers, to their addressees and to those who sent them. */
@Injectable()
export class InvitationReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly stored: Invitations,
  ) {}

  async pendingOf(project: ProjectRow): Promise<readonly PendingMember[]> {
    if (project.invitations.length === 0) return [];
    const addresses = new Map((await this.stored.ofProject(project.id)).map(({ id, address }) => [id, address]));
    return Promise.all(
      project.invitations.map(async ({ invitationId, role, expiresAt }) => {
        const address = addresses.get(invitationId) ?? null;
        const email = address === null ? null : await this.keyring.open(address);
        return { userId: invitationNumber(invitationId), email, role, expiresAt };
      }),
    );
  }

  async invitationsTo(userId: number): Promise<readonly InvitationAnswer[]> {
    const found = (await this.stored.of(userId)).map((stored) => this.invitation(stored));
    return (await Promise.all(found)).filter((shown) => shown !== null);
  }

  async transfersTo(userId: number): Promise<readonly OfferedTransferAnswer[]> {
    const found = (await this.stored.of(userId)).map((stored) => this.transfer(stored));
    return (await Promise.all(found)).filter((shown) => shown !== null);
  }

  /** Answers null when it is not pending any more. */
  async invitation({ id, kind, projectId }: StoredInvitation): Promise<InvitationAnswer | null> {
    const row = kind === 'member' ? await this.views.now().get(projectView, projectId) : null;
    const invited = row?.invitations.find(({ invitationId }) => invitationId === id);
    if (row === null || invited === undefined || isOver(invited.expiresAt)) return null;
    const { name } = roles[invited.role];
    return {
      id,
      project: projectOf(row),
      role: { id: invited.role, name },
      invitedBy: await this.sender(invited.by),
      invited: inUtc(invited.invitedAt),
      expires: inUtc(invited.expiresAt),
    };
  }

  /** Answers null when it is not pending any more. */
  async transfer({ id, kind, projectId }: StoredInvitation): Promise<OfferedTransferAnswer | null> {
    const row = kind === 'owner' ? await this.views.now().get(projectView, projectId) : null;
    const { transfer } = row ?? { transfer: null };
    if (row === null || transfer?.transferId !== id || isOver(transfer.expiresAt)) return null;
    return {
      id,
      project: projectOf(row),
      offeredBy: await this.sender(row.payerId),
      offered: inUtc(transfer.offeredAt),
      expires: inUtc(transfer.expiresAt),
    };
  }

  /** Null for an erased account. */
  async sender(userId: number): Promise<{ readonly name: string | null; readonly email: string | null }> {
    const row = await this.views.now().get(accountView, String(userId));
    if (row === null) return { name: null, email: null };
    const [name, email] = await Promise.all([this.keyring.open(row.name), this.keyring.open(row.email)]);
    return { name, email };
  }
}

const projectOf = ({ id, settings: { title, url } }: ProjectRow): InvitationAnswer['project'] => ({ id, title, url });

const isOver = (expiresAt: string): boolean => Date.parse(expiresAt) <= Date.now();
