import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { SECRETS, type Secrets } from '../../security/keyring/secrets.ts';
import { TokenStore } from '../../security/tokens/token-store.ts';
import { loginTarget, recordLogin } from '../../domain/account/login.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';
import type { IssuedToken } from './issue-token.command.ts';

/** Answers null when the password that was compared is no more the account's. */
export class SignInAccount extends Command<IssuedToken | null> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly expiresAt: Date,
    readonly passwordHash: string,
  ) {
    super();
  }
}

@CommandHandler(SignInAccount)
export class SignInAccountHandler implements ICommandHandler<SignInAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TokenStore) private readonly tokens: TokenStore,
  ) {}

  /** The token first: should the event not be written, nobody gets to know the token. */
  async execute({ context, userId, expiresAt, passwordHash }: SignInAccount): Promise<IssuedToken | null> {
    const tokenId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const issuedAt = new Date(context.occurredAt);
    if (!(await this.tokens.add({ tokenId, userId, kind: 'login', issuedAt, expiresAt }, passwordHash))) return null;
    await this.runner.run(loginTarget(userId, tokenId), context, (login) => recordLogin(login, tokenId, expiresAt.toISOString()));
    return { tokenId, issuedAt, expiresAt };
  }
}
