import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { badgeTarget, switchBadge } from '../../domain/badge/badge.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

export class SwitchBadge extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly published: boolean,
  ) {
    super();
  }
}

@CommandHandler(SwitchBadge)
export class SwitchBadgeHandler implements ICommandHandler<SwitchBadge> {
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, projectId, published }: SwitchBadge): Promise<void> {
    await this.handling.change(badgeTarget(projectId), context, (badge) => switchBadge(badge, published));
  }
}
