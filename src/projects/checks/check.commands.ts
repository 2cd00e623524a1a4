import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { publicArea } from '../areas/area.settings.ts';
import { checklistTarget } from './checklist.decider.ts';
import { changeCheck, createCheck, deleteCheck, nameCheck } from './check.decider.ts';
import type { CheckSettings, WantedCheck } from './check.settings.ts';
import { derivedObjectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { checkTagIn } from './check.tag.ts';

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
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, areaId, settings }: CreateCheck): Promise<string> {
    const secret = await this.secrets.secret('object-ids');
    const checkId = derivedObjectId(secret, context.commandId, 0);
    const fallback = { areaId: derivedObjectId(secret, context.commandId, 1), settings: publicArea };
    await this.runner.run(checklistTarget(projectId), context, (list) => createCheck(list, { checkId, areaId, settings, fallback }));
    return checkId;
  }
}

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
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId, wanted }: ChangeCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => {
      requireMatch(context, () => checkTagIn(checkId, list));
      return changeCheck(list, checkId, wanted);
    });
  }
}

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
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId, title }: NameCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => nameCheck(list, checkId, title));
  }
}

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
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, projectId, checkId }: DeleteCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => {
      requireMatch(context, () => checkTagIn(checkId, list));
      return deleteCheck(list, checkId);
    });
  }
}
