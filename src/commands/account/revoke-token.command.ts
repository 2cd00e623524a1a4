import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { revokeToken } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export class RevokeToken extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly tokenId: string,
  ) {
    super();
  }
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /** The event ends it: a personal token is good only while its account has it. The row is only tidied away. */
  async execute({ context, userId, tokenId }: RevokeToken): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => revokeToken(account, tokenId));
    await this.tokens.revoke(userId, tokenId);
    this.changes.changed(userId);
  }
}
