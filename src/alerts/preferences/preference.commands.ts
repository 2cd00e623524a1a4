import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { changeNotifications, preferencesTarget } from './preference.decider.ts';
import type { NotificationSettings } from './preference.settings.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { notificationsTagIn } from './preference.tag.ts';

export class ChangeNotifications extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly userId: number,
    readonly wanted: Partial<NotificationSettings>,
  ) {
    super();
  }
}

@CommandHandler(ChangeNotifications)
export class ChangeNotificationsHandler implements ICommandHandler<ChangeNotifications> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, projectId, userId, wanted }: ChangeNotifications): Promise<void> {
    await this.runner.run(preferencesTarget(projectId), context, (state) => {
      requireMatch(context, () => notificationsTagIn(projectId, userId, state));
      return changeNotifications(state, userId, wanted);
    });
  }
}
