import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { keepSignIns } from '../../domain/check/decisions.ts';
import { changeSettings, opened } from '../../domain/project/decisions.ts';
import { projectTarget } from '../../domain/project/project.ts';
import type { ProjectSettings } from '../../domain/project/settings.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { wholeProjectTarget } from './whole-project.ts';

export class ChangeSettings extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly settings: Partial<ProjectSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeSettings)
export class ChangeSettingsHandler implements ICommandHandler<ChangeSettings> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, settings }: ChangeSettings): Promise<void> {
    const { url } = settings;
    if (url === undefined) await this.runner.run(projectTarget(projectId), context, (project) => changeSettings(project, settings));
    else
      await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) => [
        ...changeSettings(project, settings),
        ...keepSignIns(list, opened(project).settings.url, url),
      ]);
  }
}
