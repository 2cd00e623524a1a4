import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { EMAIL_CLAIM } from '../../security/email-directory.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { PasswordChanges } from '../../security/passwords/password-changes.ts';
import { Passwords } from '../../security/passwords/passwords.ts';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { LinkStore } from '../../security/tokens/link-store.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import { accountStream, accountTarget } from '../../domain/account/account.ts';
import { erase } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** Each step is harmless when repeated: what a crash interrupted is simply done again. */
export class EraseAccount extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
  ) {
    super();
  }
}

@CommandHandler(EraseAccount)
export class EraseAccountHandler implements ICommandHandler<EraseAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(PasswordChanges) private readonly begun: PasswordChanges,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(LinkStore) private readonly links: LinkStore,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /**
   * The way in closes first, and again after the event, because a token or a password may have been on its way. The key goes last: everything
   * before it may still have to read what was sealed with it.
   */
  async execute({ context, userId }: EraseAccount): Promise<void> {
    await this.close(userId);
    await this.runner.run(accountTarget(userId), context, erase);
    await this.begun.giveUp(userId);
    await this.close(userId);
    await this.claims.releaseAll(EMAIL_CLAIM, accountStream(userId));
    await this.keyring.erase(accountStream(userId));
  }

  private async close(userId: number): Promise<void> {
    await this.passwords.forget(userId);
    await this.tokens.revokeAll(userId);
    await this.links.forgetAll(userId);
    this.changes.changed(userId);
  }
}
