import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { changeNotifications, preferencesTarget } from '../domain/preference/preferences.ts';
import type { NotificationSettings } from '../domain/preference/settings.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { requireMatch } from './precondition.ts';
import { notificationsTagIn } from './state-tags.ts';

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
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, projectId, userId, wanted }: ChangeNotifications): Promise<void> {
    await this.runner.run(preferencesTarget(projectId), context, (state) => {
      requireMatch(context, () => notificationsTagIn(projectId, userId, state));
      return changeNotifications(state, userId, wanted);
    });
  }
}
