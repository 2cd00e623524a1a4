import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { administer, type Administration } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

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
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  async execute({ context, userId, wanted }: AdministerAccount): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => administer(account, wanted));
    this.changes.changed(userId);
  }
}
