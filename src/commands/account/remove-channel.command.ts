import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountTarget } from '../../domain/account/account.ts';
import type { AddressedChannel } from '../../domain/account/account.events.ts';
import { removeChannel } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

export class RemoveChannel extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly channel: AddressedChannel,
  ) {
    super();
  }
}

@CommandHandler(RemoveChannel)
export class RemoveChannelHandler implements ICommandHandler<RemoveChannel> {
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, userId, channel }: RemoveChannel): Promise<void> {
    await this.handling.change(accountTarget(userId), context, (account) => removeChannel(account, channel));
  }
}
