import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../security/keyring/secrets.ts';
import { TokenStore } from '../security/tokens/token-store.ts';
import { accountTarget } from '../domain/account/account.ts';
import { holding, issueToken, revokeToken } from '../domain/account/decisions.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { loginTarget, recordLogin } from '../domain/account/login.ts';
import { AccountChanges } from '../security/tokens/account-changes.ts';
import { accountStream } from '../domain/stream-names.ts';

export interface IssuedToken {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** A personal access token. */
export class IssueToken extends Command<IssuedToken> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly name: string,
    readonly expiresAt: Date,
  ) {
    super();
  }
}

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TokenStore) private readonly tokens: TokenStore,
  ) {}

  /**
   * A repeat answers the times of the first time, and so the very same token. A token that ends meanwhile stays ended: whoever ends it takes the
   * row away after the event as well, and the row that is added even later goes with this second look.
   */
  async execute({ context, userId, name, expiresAt: wanted }: IssueToken): Promise<IssuedToken> {
    const tokenId = derivedObjectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const sealed = await this.keyring.seal(accountStream(userId), name);
    const token = { tokenId, kind: 'personal', name: sealed, expiresAt: wanted.toISOString() } as const;
    const target = accountTarget(userId);
    const now = Date.parse(context.occurredAt);
    const { events, state } = await this.runner.run(target, context, (account) => issueToken(account, token, now));
    holding(state, tokenId);
    const first = events.find((event) => event.type === 'TokenIssued');
    const issuedAt = new Date(first?.meta.occurredAt ?? context.occurredAt);
    const expiresAt = first === undefined ? wanted : new Date(first.data.expiresAt);
    await this.tokens.add({ tokenId, userId, kind: 'personal', issuedAt, expiresAt }, null);
    try {
      holding(await this.runner.read(target), tokenId);
    } catch (error) {
      await this.tokens.revoke(userId, tokenId);
      throw error;
    }
    return { tokenId, issuedAt, expiresAt };
  }
}

/** Answers null when the compared password is no longer that of the account. */
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

  /** The token is stored first: without the event it is never handed out. */
  async execute({ context, userId, expiresAt, passwordHash }: SignInAccount): Promise<IssuedToken | null> {
    const tokenId = derivedObjectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const issuedAt = new Date(context.occurredAt);
    if (!(await this.tokens.add({ tokenId, userId, kind: 'login', issuedAt, expiresAt }, passwordHash))) return null;
    await this.runner.run(loginTarget(userId, tokenId), context, (login) => recordLogin(login, tokenId, expiresAt.toISOString()));
    return { tokenId, issuedAt, expiresAt };
  }
}

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
