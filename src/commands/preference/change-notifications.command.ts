import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { changeNotifications, preferencesTarget } from '../../domain/preference/preferences.ts';
import type { NotificationSettings } from '../../domain/preference/settings.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

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
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, userId, wanted }: ChangeNotifications): Promise<void> {
    await this.handling.change(preferencesTarget(projectId), context, (state) => changeNotifications(state, userId, wanted));
  }
}
