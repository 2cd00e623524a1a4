import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { opened } from '../../domain/account/decisions.ts';
import { transfer } from '../../domain/project/members.ts';
import { projectTarget } from '../../domain/project/project.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { ProjectLimitReached } from '../project/create-project.command.ts';
import { PROJECT_SLOT } from '../project/project-slot.ts';

export class TransferProject extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly to: number,
    /** Of the receiver's plan; null: no bound. */
    readonly maxProjects: number | null,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(TransferProject)
export class TransferProjectHandler implements ICommandHandler<TransferProject> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
  ) {}

  /** A place with the receiver first, the fact, then the giver's place back. */
  async execute({ context, projectId, to, maxProjects, by }: TransferProject): Promise<void> {
    if (to === by) return;
    opened(await this.runner.read(accountTarget(to)));
    const slot = await this.claims.claimSlot(PROJECT_SLOT, String(to), maxProjects, projectId);
    if (slot === null) throw new ProjectLimitReached('The project limit of the receiving account is reached.');
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
