import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AreaSettings } from '../../domain/area/settings.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { changeArea } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

export class ChangeArea extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly areaId: string,
    readonly settings: Partial<AreaSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeArea)
export class ChangeAreaHandler implements ICommandHandler<ChangeArea> {
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, areaId, settings }: ChangeArea): Promise<void> {
    await this.handling.change(checklistTarget(projectId), context, (list) => changeArea(list, areaId, settings));
  }
}
