import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import { newObjectId } from '../platform/commands/object-ids.ts';
import { accountTarget } from '../accounts/account.state.ts';
import { requireConfirmedAccount } from '../accounts/account.decider.ts';
import { Plans } from '../accounts/plan.ts';
import { projectTarget } from './project.state.ts';
import { acceptTransfer, offerTransfer, withdrawTransfer } from './transfer.decider.ts';
import { DomainError } from '../kernel/errors.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { Invitations } from '../accounts/tokens/invitations.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { addressedTo, linkToken } from './members/invitation.commands.ts';
import { claimProjectSlot, type PlanLookup, PROJECT_SLOT } from './project-slot.ts';

/** Answers the token of the link to accept; null: nothing new was offered. */
export class OfferTransfer extends CommandOf<{ projectId: string; to: number; by: number; expiresAt: Date }, string | null> {}

@CommandHandler(OfferTransfer)
export class OfferTransferHandler implements ICommandHandler<OfferTransfer> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
    private readonly secrets: Secrets,
  ) {}

  /** The same is done for a number that no account has, so that accounts cannot be counted. Its row has no user: a later account does not get it. */
  async execute({ context, fields: { projectId, to, by, expiresAt } }: OfferTransfer): Promise<string | null> {
    const fresh = await newObjectId(this.secrets, context);
    const receiver = await this.runner.read(accountTarget(to));
    const now = Date.parse(context.occurredAt);
    const target = projectTarget(projectId);
    const wanted = { transferId: fresh, to, expiresAt: expiresAt.toISOString() };
    const { state } = await this.runner.run(target, context, (project) => offerTransfer(project, wanted, by, now));
    const pending = state.kind === 'open' ? state.transfer : null;
    const rows = (await this.invitations.ofProject(projectId)).filter(({ kind }) => kind === 'owner').map(({ id }) => id);
    await this.invitations.forget(rows.filter((id) => id !== pending?.transferId));
    // A repeat finds the row, unless a crash came before it.
    if (pending?.to !== to || rows.includes(pending.transferId)) return null;
    const token = linkToken();
    const userId = receiver.kind === 'open' ? to : null;
    await this.invitations.offer({ id: pending.transferId, projectId, userId, token, expiresAt: new Date(pending.expiresAt) });
    return token;
  }
}

export class WithdrawTransfer extends CommandOf<{ projectId: string; by: number }> {}

@CommandHandler(WithdrawTransfer)
export class WithdrawTransferHandler implements ICommandHandler<WithdrawTransfer> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
  ) {}

  async execute({ context, fields: { projectId, by } }: WithdrawTransfer): Promise<void> {
    const target = projectTarget(projectId);
    const { events } = await this.runner.run(target, context, (project) => withdrawTransfer(project, by));
    await this.invitations.forget(events.flatMap(({ type, data }) => (type === 'TransferWithdrawn' ? [data.transferId] : [])));
  }
}

/** Answers the project. */
export class AcceptTransfer extends CommandOf<{ transferId: string; userId: number }, string> {}

@CommandHandler(AcceptTransfer)
export class AcceptTransferHandler implements ICommandHandler<AcceptTransfer> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
    readonly claims: Claims,
    @Inject(Plans) readonly plans: PlanLookup,
  ) {}

  /** Claims a slot of the receiver, appends, then releases the slot of the former owner. */
  async execute({ context, fields: { transferId, userId } }: AcceptTransfer): Promise<string> {
    const { projectId } = await addressedTo(this.invitations, 'owner', transferId, userId);
    const receiver = requireConfirmedAccount(await this.runner.read(accountTarget(userId)));
    const now = Date.parse(context.occurredAt);
    const slot = await claimProjectSlot(this, receiver, projectId, 'The project limit of your subscription is reached.');
    try {
      const { events } = await this.runner.run(projectTarget(projectId), context, (project) =>
        acceptTransfer(project, transferId, userId, now),
      );
      await this.claims.keep(PROJECT_SLOT, slot, projectId);
      const former = events.flatMap(({ type, data }) => (type === 'ProjectTransferred' ? [data.from] : []));
      await this.giveBackUnused(projectId, [userId, ...former]);
    } catch (error) {
      if (error instanceof DomainError) await this.giveBackUnused(projectId, [userId]);
      throw error;
    }
    await this.invitations.forget([transferId]);
    return projectId;
  }

  /**
   * The place of the present owner is in use: a refusal may come from a repeat whose first attempt went through, and of a late repeat the
   * project may have been transferred again since, even back to the giver.
   */
  private async giveBackUnused(projectId: string, userIds: readonly number[]): Promise<void> {
    const project = await this.runner.read(projectTarget(projectId));
    const former = userIds.filter((userId) => project.kind !== 'open' || project.payerId !== userId);
    for (const userId of former) {
      const unused = await this.claims.claimSlot(PROJECT_SLOT, String(userId), null, projectId);
      if (unused !== null) await this.claims.release(PROJECT_SLOT, unused, projectId);
    }
  }
}
