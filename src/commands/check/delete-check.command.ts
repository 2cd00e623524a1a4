import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { deleteCheck } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

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
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, checkId }: DeleteCheck): Promise<void> {
    await this.handling.change(checklistTarget(projectId), context, (list) => deleteCheck(list, checkId));
  }
}
