import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { deleteCheck } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export class DeleteCheck extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly checkId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteCheck)
export class DeleteCheckHandler implements ICommandHandler<DeleteCheck> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId }: DeleteCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => deleteCheck(list, checkId));
  }
}
