import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { changeCheck } from '../../domain/check/decisions.ts';
import type { WantedCheck } from '../../domain/check/settings.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export class ChangeCheck extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly checkId: string,
    readonly wanted: WantedCheck,
  ) {
    super();
  }
}

@CommandHandler(ChangeCheck)
export class ChangeCheckHandler implements ICommandHandler<ChangeCheck> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId, wanted }: ChangeCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => changeCheck(list, checkId, wanted));
  }
}
