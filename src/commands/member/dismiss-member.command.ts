import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { withoutAccount } from '../../domain/project/ending.ts';
import { deleteInParts } from '../check/in-parts.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { PROJECT_SLOT } from '../project/project-slot.ts';
import { wholeProjectTarget } from '../project/whole-project.ts';

/** Because the account is gone; a project of its own goes with it. */
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
