import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { maintenance, type NewWindow, schedule } from '../../domain/maintenance/maintenance.ts';
import { opened } from '../../domain/project/decisions.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';
import { withProject } from '../project/whole-project.ts';

const target = withProject(maintenance);

/** Answers the new window's id. */
export class ScheduleMaintenance extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly window: Omit<NewWindow, 'windowId'>,
  ) {
    super();
  }
}

@CommandHandler(ScheduleMaintenance)
export class ScheduleMaintenanceHandler implements ICommandHandler<ScheduleMaintenance> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, window }: ScheduleMaintenance): Promise<string> {
    const windowId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    await this.handling.change(target(projectId), context, ([project, windows]) => {
      opened(project);
      return schedule(windows, { ...window, windowId }, Date.parse(context.occurredAt));
    });
    return windowId;
  }
}
