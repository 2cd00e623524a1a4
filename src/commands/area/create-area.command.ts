import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { publicArea, type WantedArea } from '../../domain/area/settings.ts';
import { settled } from '../../domain/area/wanted.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { createArea } from '../../domain/check/decisions.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** Answers the new group's id. */
export class CreateArea extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    /** Whatever it does not name is as in a group that the service makes itself. */
    readonly wanted: WantedArea,
  ) {
    super();
  }
}

@CommandHandler(CreateArea)
export class CreateAreaHandler implements ICommandHandler<CreateArea> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, wanted }: CreateArea): Promise<string> {
    const areaId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    // Nothing is kept of a sign-in before, whose site would have to be known.
    const settings = { ...publicArea, ...settled(publicArea, wanted, '') };
    await this.runner.run(checklistTarget(projectId), context, (list) => createArea(list, areaId, settings));
    return areaId;
  }
}
