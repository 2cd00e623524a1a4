import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../base/keyring/secrets.ts';
import type { AreaSettings } from '../../domain/area/settings.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { createArea } from '../../domain/check/decisions.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

/** Answers the new group's id. */
export class CreateArea extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly settings: AreaSettings,
  ) {
    super();
  }
}

@CommandHandler(CreateArea)
export class CreateAreaHandler implements ICommandHandler<CreateArea> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, settings }: CreateArea): Promise<string> {
    const areaId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    await this.handling.change(checklistTarget(projectId), context, (list) => createArea(list, areaId, settings));
    return areaId;
  }
}
