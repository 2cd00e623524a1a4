import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountTarget } from '../../domain/account/account.ts';
import type { AddressedChannel } from '../../domain/account/account.events.ts';
import { removeChannel } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

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
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, userId, channel }: RemoveChannel): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => removeChannel(account, channel));
  }
}
