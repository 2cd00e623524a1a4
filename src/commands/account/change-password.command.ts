import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Passwords } from '../../base/passwords/passwords.ts';
import { AccountChanges } from '../../base/tokens/account-changes.ts';
import { LinkStore } from '../../base/tokens/link-store.ts';
import { TokenStore } from '../../base/tokens/token-store.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { changePassword, opened } from '../../domain/account/decisions.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

/** Ends every token and every link of the account, the one that asked included. */
export class ChangePassword extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly password: string,
    readonly by: 'owner' | 'link' | 'administrator',
  ) {
    super();
  }
}

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(LinkStore) private readonly links: LinkStore,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /**
   * First the new password, then the old tokens: nobody signs in with the old one after they are gone. The tokens go again after the event, because
   * a personal token may be on its way: before the event nothing stops it, and after the event it stops itself.
   */
  async execute({ context, userId, password, by }: ChangePassword): Promise<void> {
    opened(await this.handling.read(accountTarget(userId)));
    await this.passwords.set(userId, password);
    await this.tokens.revokeAll(userId);
    await this.links.forgetAll(userId);
    this.changes.changed(userId);
    await this.handling.change(accountTarget(userId), context, (account) => changePassword(account, by));
    await this.tokens.revokeAll(userId);
    this.changes.changed(userId);
  }
}
