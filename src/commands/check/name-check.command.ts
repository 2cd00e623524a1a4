import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { nameCheck } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** A run saw the title of a page whose check has no name. */
export class NameCheck extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly checkId: string,
    readonly title: string,
  ) {
    super();
  }
}

@CommandHandler(NameCheck)
export class NameCheckHandler implements ICommandHandler<NameCheck> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId, title }: NameCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => nameCheck(list, checkId, title));
  }
}
