import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { removeMembers } from '../../domain/project/members.ts';
import { projectTarget } from '../../domain/project/project.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

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
