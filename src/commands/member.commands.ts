import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { addMember, changeRole, type Membership, removeMembers, transfer } from '../domain/project/members.ts';
import { projectTarget } from '../domain/project/project.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { CLAIMS, type Claims } from '../persistence/claims.ts';
import { withoutAccount } from '../domain/project/ending.ts';
import { deleteInParts } from './delete-in-parts.ts';
import { claimProjectSlot, type PlanLookup, PROJECT_SLOT } from './project.commands.ts';
import { wholeProjectTarget } from './project-stream.ts';
import { accountTarget } from '../domain/account/account.ts';
import { AccountNotFound } from '../domain/account/decisions.ts';
import { PLANS } from '../domain/account/plan.ts';
import { DomainError } from '../kernel/errors.ts';

/** Changes the role of a member, or adds one; `knownOnly` refuses to add. */
export class AddMember extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly wanted: Membership,
    readonly by: number,
    readonly knownOnly: boolean,
  ) {
    super();
  }
}

@CommandHandler(AddMember)
export class AddMemberHandler implements ICommandHandler<AddMember> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, wanted, by, knownOnly }: AddMember): Promise<void> {
    const decide = knownOnly ? changeRole : addMember;
    await this.runner.run(projectTarget(projectId), context, (project) => decide(project, wanted, by));
  }
}

export class RemoveMembers extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly userIds: readonly number[],
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveMembers)
export class RemoveMembersHandler implements ICommandHandler<RemoveMembers> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, userIds, by }: RemoveMembers): Promise<void> {
    await this.runner.run(projectTarget(projectId), context, (project) => removeMembers(project, userIds, by));
  }
}

/** For an erased account: removes it from the project, or deletes a project that it owns. */
export class DismissMember extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly userId: number,
  ) {
    super();
  }
}

@CommandHandler(DismissMember)
export class DismissMemberHandler implements ICommandHandler<DismissMember> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
  ) {}

  async execute({ context, projectId, userId }: DismissMember): Promise<void> {
    const target = wholeProjectTarget(projectId);
    await deleteInParts(this.runner, target, context, ([project, list]) => withoutAccount(project, list, userId));
    const [project] = await this.runner.read(target);
    if (project.kind === 'deleted') await this.claims.releaseAll(PROJECT_SLOT, projectId);
  }
}

export class TransferProject extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly to: number,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(TransferProject)
export class TransferProjectHandler implements ICommandHandler<TransferProject> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) readonly claims: Claims,
    @Inject(PLANS) readonly plans: PlanLookup,
  ) {}

  /** Claims a slot of the receiver, appends, then releases the slot of the former owner. */
  async execute({ context, projectId, to, by }: TransferProject): Promise<void> {
    if (to === by) return;
    const receiver = await this.runner.read(accountTarget(to));
    if (receiver.kind !== 'open') throw new AccountNotFound('userId: the user was not found.');
    const slot = await claimProjectSlot(this, receiver, projectId, 'The project limit of the receiving account is reached.');
    try {
      await this.runner.run(projectTarget(projectId), context, (project) => transfer(project, to, by));
      await this.claims.keep(PROJECT_SLOT, slot, projectId);
    } catch (error) {
      if (error instanceof DomainError) await this.giveBackUnused(projectId, [to]);
      throw error;
    }
    await this.giveBackUnused(projectId, [to, by]);
  }

  /**
   * The place of whoever is the owner now is in use: a refusal may come from a repeat whose first attempt went through, and of a late repeat the
   * project may have gone on since, even back to the giver.
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
