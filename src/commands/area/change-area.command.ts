import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { WantedArea } from '../../domain/area/settings.ts';
import { changeArea } from '../../domain/check/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { wholeProjectTarget } from '../project/whole-project.ts';

export class ChangeArea extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly areaId: string,
    readonly wanted: WantedArea,
  ) {
    super();
  }
}

@CommandHandler(ChangeArea)
export class ChangeAreaHandler implements ICommandHandler<ChangeArea> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, areaId, wanted }: ChangeArea): Promise<void> {
    await this.runner.run(wholeProjectTarget(projectId), context, ([project, list]) =>
      changeArea(list, areaId, wanted, project.kind === 'open' ? project.settings.url : ''),
    );
  }
}
