import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { dismissMember } from '../../domain/project/members.ts';
import { projectTarget } from '../../domain/project/project.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

/** Because the account is gone. */
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
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, userId }: DismissMember): Promise<void> {
    await this.handling.change(projectTarget(projectId), context, (project) => dismissMember(project, userId));
  }
}
