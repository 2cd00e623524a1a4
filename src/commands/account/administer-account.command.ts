import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { administer, type Administration } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

export class AdministerAccount extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly wanted: Administration,
  ) {
    super();
  }
}

@CommandHandler(AdministerAccount)
export class AdministerAccountHandler implements ICommandHandler<AdministerAccount> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  async execute({ context, userId, wanted }: AdministerAccount): Promise<void> {
    await this.handling.change(accountTarget(userId), context, (account) => administer(account, wanted));
    this.changes.changed(userId);
  }
}
