import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { deleteArea } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { deleteInParts } from '../check/in-parts.ts';
import { CommandRunner } from '../command-runner.ts';

export class DeleteArea extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly areaId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteArea)
export class DeleteAreaHandler implements ICommandHandler<DeleteArea> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, areaId }: DeleteArea): Promise<void> {
    await deleteInParts(this.runner, checklistTarget(projectId), context, (list) => deleteArea(list, areaId));
  }
}
