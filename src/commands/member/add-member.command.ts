import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { addMember, changeRole, type Membership } from '../../domain/project/members.ts';
import { projectTarget } from '../../domain/project/project.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** Who belongs to it already changes the role; `knownOnly` refuses somebody who does not. */
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
