import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { cancel, maintenance, type NewWindow, schedule } from './maintenance.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { inOpenProject } from '../project-stream.ts';
import { maintenanceTagIn } from './maintenance.view.ts';

const run = inOpenProject(maintenance);

/** Answers the new window's id. */
export class ScheduleMaintenance extends CommandOf<{ projectId: string; window: Omit<NewWindow, 'windowId'> }, string> {}

@CommandHandler(ScheduleMaintenance)
export class ScheduleMaintenanceHandler implements ICommandHandler<ScheduleMaintenance> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { projectId, window } }: ScheduleMaintenance): Promise<string> {
    const windowId = await newObjectId(this.secrets, context);
    await run(this.runner, projectId, context, (windows) => {
      requireMatch(context, () => maintenanceTagIn(projectId, windows));
      return schedule(windows, { ...window, windowId }, Date.parse(context.occurredAt));
    });
    return windowId;
  }
}

export class CancelMaintenance extends CommandOf<{ projectId: string; windowId: string }> {}

@CommandHandler(CancelMaintenance)
export class CancelMaintenanceHandler implements ICommandHandler<CancelMaintenance> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, windowId } }: CancelMaintenance): Promise<void> {
    const now = Date.parse(context.occurredAt);
    await run(this.runner, projectId, context, (windows) => {
      requireMatch(context, () => maintenanceTagIn(projectId, windows));
      return cancel(windows, windowId, now);
    });
  }
}
