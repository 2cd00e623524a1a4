import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { cancel, maintenance } from '../../domain/maintenance/maintenance.ts';
import { opened } from '../../domain/project/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import { withProject } from '../project/whole-project.ts';

const target = withProject(maintenance);

export class CancelMaintenance extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly windowId: string,
  ) {
    super();
  }
}

@CommandHandler(CancelMaintenance)
export class CancelMaintenanceHandler implements ICommandHandler<CancelMaintenance> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, windowId }: CancelMaintenance): Promise<void> {
    const now = Date.parse(context.occurredAt);
    await this.runner.run(target(projectId), context, ([project, windows]) => {
      opened(project);
      return cancel(windows, windowId, now);
    });
  }
}
