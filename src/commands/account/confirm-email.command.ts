import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { accountTarget } from '../../domain/account/account.ts';
import { confirmEmail } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

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
  constructor(@Inject(Handling) private readonly handling: Handling) {}

  async execute({ context, userId }: ConfirmEmail): Promise<void> {
    await this.handling.change(accountTarget(userId), context, (account) => confirmEmail(account, 'link'));
  }
}
