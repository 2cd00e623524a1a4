import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { end } from '../../domain/project/ending.ts';
import type { CommandContext } from '../context.ts';
import { deleteInParts } from '../check/in-parts.ts';
import { CommandRunner } from '../command-runner.ts';
import { PROJECT_SLOT } from './project-slot.ts';
import { wholeProjectTarget } from './whole-project.ts';

export class DeleteProject extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(DeleteProject)
export class DeleteProjectHandler implements ICommandHandler<DeleteProject> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
  ) {}

  /** The slot is freed after the fact: a crash in between leaves a slot taken, which the sweeper gives back. */
  async execute({ context, projectId, by }: DeleteProject): Promise<void> {
    await deleteInParts(this.runner, wholeProjectTarget(projectId), context, ([project, list]) => end(project, list, by));
    await this.claims.releaseAll(PROJECT_SLOT, projectId);
  }
}
