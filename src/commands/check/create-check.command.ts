import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { publicArea } from '../../domain/area/settings.ts';
import { checklistTarget } from '../../domain/check/checklist.ts';
import { createCheck } from '../../domain/check/decisions.ts';
import type { CheckSettings } from '../../domain/check/settings.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** Answers the new check's id. */
export class CreateCheck extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    /** Null: the project's first group. */
    readonly areaId: string | null,
    readonly settings: CheckSettings,
  ) {
    super();
  }
}

@CommandHandler(CreateCheck)
export class CreateCheckHandler implements ICommandHandler<CreateCheck> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, areaId, settings }: CreateCheck): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    const checkId = objectId(secret, context.commandId, 0);
    const fallback = { areaId: objectId(secret, context.commandId, 1), settings: publicArea };
    await this.runner.run(checklistTarget(projectId), context, (list) => createCheck(list, { checkId, areaId, settings, fallback }));
    return checkId;
  }
}
