import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { publicArea } from '../areas/area.settings.ts';
import { checklistTarget } from './checklist.decider.ts';
import { changeCheck, createCheck, deleteCheck, nameCheck } from './check.decider.ts';
import type { CheckSettings, WantedCheck } from './check.settings.ts';
import { objectIds } from '../../platform/commands/object-ids.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { checkTagIn } from './check.view.ts';

/** Answers the new check's id. */
export class CreateCheck extends CommandOf<
  {
    projectId: string;
    /** Null for the project's first group. */
    areaId: string | null;
    settings: CheckSettings;
  },
  string
> {}

@CommandHandler(CreateCheck)
export class CreateCheckHandler implements ICommandHandler<CreateCheck> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { projectId, areaId, settings } }: CreateCheck): Promise<string> {
    const idOf = await objectIds(this.secrets, context);
    const checkId = idOf(0);
    const fallback = { areaId: idOf(1), settings: publicArea };
    await this.runner.run(checklistTarget(projectId), context, (list) => createCheck(list, { checkId, areaId, settings, fallback }));
    return checkId;
  }
}

export class ChangeCheck extends CommandOf<{ projectId: string; checkId: string; wanted: WantedCheck }> {}

@CommandHandler(ChangeCheck)
export class ChangeCheckHandler implements ICommandHandler<ChangeCheck> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, checkId, wanted } }: ChangeCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => {
      requireMatch(context, () => checkTagIn(checkId, list));
      return changeCheck(list, checkId, wanted);
    });
  }
}

/** A run saw the title of a page whose check has no name. */
export class NameCheck extends CommandOf<{ projectId: string; checkId: string; title: string }> {}

@CommandHandler(NameCheck)
export class NameCheckHandler implements ICommandHandler<NameCheck> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, checkId, title } }: NameCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => nameCheck(list, checkId, title));
  }
}

export class DeleteCheck extends CommandOf<{ projectId: string; checkId: string }> {}

@CommandHandler(DeleteCheck)
export class DeleteCheckHandler implements ICommandHandler<DeleteCheck> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, checkId } }: DeleteCheck): Promise<void> {
    await this.runner.run(checklistTarget(projectId), context, (list) => {
      requireMatch(context, () => checkTagIn(checkId, list));
      return deleteCheck(list, checkId);
    });
  }
}
