import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountTarget } from '../../domain/account/account.ts';
import { confirmEmail } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export class ConfirmEmail extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
  ) {
    super();
  }
}

@CommandHandler(ConfirmEmail)
export class ConfirmEmailHandler implements ICommandHandler<ConfirmEmail> {
  constructor(@Inject(CommandRunner) private readonly runner: CommandRunner) {}

  async execute({ context, userId }: ConfirmEmail): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => confirmEmail(account, 'link'));
  }
}
