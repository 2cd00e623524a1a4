import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { changeNotifications, preferencesTarget } from './preference.decider.ts';
import type { NotificationSettings } from './preference.settings.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { notificationsTagIn } from './preference.view.ts';

export class ChangeNotifications extends CommandOf<{ projectId: string; userId: number; wanted: Partial<NotificationSettings> }> {}

@CommandHandler(ChangeNotifications)
export class ChangeNotificationsHandler implements ICommandHandler<ChangeNotifications> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, userId, wanted } }: ChangeNotifications): Promise<void> {
    await this.runner.run(preferencesTarget(projectId), context, (state) => {
      requireMatch(context, () => notificationsTagIn(projectId, userId, state));
      return changeNotifications(state, userId, wanted);
    });
  }
}
