import { randomBytes } from 'node:crypto';

import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { requireConfirmedAccount } from '../../accounts/account.decider.ts';
import { requireOpenProject } from '../project.decider.ts';
import { invitationNumber } from '../invitation-number.ts';
import {
  acceptInvitation,
  declineInvitation,
  expireInvitation,
  InvitationNotFound,
  invite,
  withdrawInvitation,
} from './invitation.decider.ts';
import { changeRole } from './member.decider.ts';
import { type Project, projectTarget } from '../project.state.ts';
import type { RoleId } from '../../accounts/rights/roles.ts';
import { declineTransfer, expireTransfer } from '../transfer.decider.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { derivedId } from '../../kernel/ids.ts';
import { EmailDirectory } from '../../accounts/email-directory.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { Invitations, type StoredInvitation } from '../../accounts/tokens/invitations.ts';
import { CommandRunner, TooContended } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { usersTagIn } from '../project.view.ts';

/** Who declines stays unknown to the project, as does whether an account exists at all. */
const addressee = { kind: 'reactor', id: 'invitations' } as const;

/** 256 random bits: the token of a link. */
export const linkToken = (): string => randomBytes(32).toString('base64url');

export interface InvitedMember {
  /** A user id, or the number that stands for the invitation. */
  readonly userId: number;
  /** The token of the link that accepts; null when the address belongs to a member, whose role was changed. */
  readonly token: string | null;
}

/** Invites an address, or changes the role of a member that has it. */
export class InviteMember extends CommandOf<
  {
    projectId: string;
    email: string;
    role: RoleId;
    by: number;
    expiresAt: Date;
    /** Open invitations of a project. */
    most: number;
  },
  InvitedMember
> {}

@CommandHandler(InviteMember)
export class InviteMemberHandler implements ICommandHandler<InviteMember> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
    private readonly directory: EmailDirectory,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  /**
   * Reserves the row of the addressee, appends, keeps the row. The same is done for an address with and without an account, so that neither the answer
   * nor its time tells which it is.
   */
  async execute({ context, fields: { projectId, email, role, by, expiresAt, most } }: InviteMember): Promise<InvitedMember> {
    const target = projectTarget(projectId);
    const project = requireOpenProject(await this.runner.read(target));
    const requireUnchanged = (current: Project): void => {
      requireMatch(context, () => usersTagIn(projectId, current));
    };
    const userId = await this.directory.userIdOf(email);
    if (userId !== null && project.members.has(userId)) {
      await this.runner.run(target, context, (current) => {
        requireUnchanged(current);
        return changeRole(current, { userId, role }, by);
      });
      return { userId, token: null };
    }
    const fresh = await newObjectId(this.secrets, context);
    const wanted = { role, by, expiresAt: expiresAt.toISOString() };
    // A refusal leaves no row behind.
    invite(project, { invitationId: fresh, ...wanted }, most);
    const addressHash = await this.directory.hashOf(email);
    const address = await this.keyring.seal(projectStream(projectId), email);
    const invitationId = await this.invitations.reserve({ id: fresh, projectId, addressHash, address });
    await this.runner.run(target, context, (current) => {
      requireUnchanged(current);
      return invite(current, { invitationId, ...wanted }, most);
    });
    const token = linkToken();
    if (await this.invitations.keep(invitationId, token, expiresAt)) return { userId: invitationNumber(invitationId), token };
    // Answered or withdrawn in between, under the same id: an invitation without an addressee would be left.
    await this.runner.run(target, { ...context, commandId: derivedId('withdrawn', context.commandId) }, (current) =>
      withdrawInvitation(current, invitationId),
    );
    throw new TooContended('The invitation was answered or withdrawn at this moment; retry shortly');
  }
}

export class AcceptInvitation extends CommandOf<{ invitationId: string; userId: number }, string> {}

@CommandHandler(AcceptInvitation)
export class AcceptInvitationHandler implements ICommandHandler<AcceptInvitation> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
  ) {}

  /** Answers the project. The confirmed address of the account has to be the one that was invited. */
  async execute({ context, fields: { invitationId, userId } }: AcceptInvitation): Promise<string> {
    const { projectId } = await addressedTo(this.invitations, 'member', invitationId, userId);
    requireConfirmedAccount(await this.runner.read(accountTarget(userId)));
    const now = Date.parse(context.occurredAt);
    await this.runner.run(projectTarget(projectId), context, (project) => acceptInvitation(project, invitationId, userId, now));
    await this.invitations.forget([invitationId]);
    return projectId;
  }
}

/** The invitation or offer, if it is the account's. */
export async function addressedTo(
  invitations: Invitations,
  kind: StoredInvitation['kind'],
  id: string,
  userId: number,
): Promise<StoredInvitation> {
  const found = (await invitations.of(userId)).find((invitation) => invitation.id === id && invitation.kind === kind);
  if (found === undefined) throw new InvitationNotFound();
  return found;
}

/** Declines an invitation or an offered transfer of the account; one that has ended already is left as it is. */
export class DeclineInvitation extends CommandOf<{ invitation: StoredInvitation }> {}

@CommandHandler(DeclineInvitation)
export class DeclineInvitationHandler implements ICommandHandler<DeclineInvitation> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
  ) {}

  async execute({ context, fields }: DeclineInvitation): Promise<void> {
    const { id, kind, projectId } = fields.invitation;
    const decline = kind === 'member' ? declineInvitation : declineTransfer;
    await this.runner.run(projectTarget(projectId), { ...context, actor: addressee }, (project) => decline(project, id));
    await this.invitations.forget([id]);
  }
}

/** Ends an invitation or an offered transfer whose time is over, and tidies away the row of one that has ended otherwise. */
export class ExpireInvitation extends CommandOf<{ invitation: StoredInvitation }> {}

@CommandHandler(ExpireInvitation)
export class ExpireInvitationHandler implements ICommandHandler<ExpireInvitation> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
  ) {}

  /** A row whose invitation is pending for longer was left by a crash before it was kept. */
  async execute({ context, fields }: ExpireInvitation): Promise<void> {
    const { id, kind, projectId } = fields.invitation;
    const expire = kind === 'member' ? expireInvitation : expireTransfer;
    const now = Date.parse(context.occurredAt);
    const { state } = await this.runner.run(projectTarget(projectId), context, (project) => expire(project, id, now));
    const pending = pendingIn(state, id);
    if (pending === null) await this.invitations.forgetDue(id);
    else await this.invitations.keep(id, null, new Date(pending.expiresAt));
  }
}

const pendingIn = (project: Project, id: string): { readonly expiresAt: string } | null => {
  if (project.kind !== 'open') return null;
  return project.invitations.get(id) ?? (project.transfer?.transferId === id ? project.transfer : null);
};
