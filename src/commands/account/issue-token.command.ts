import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KEYRING, type Keyring } from '../../base/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../../base/keyring/secrets.ts';
import { TokenStore } from '../../base/tokens/token-store.ts';
import { accountStream, accountTarget } from '../../domain/account/account.ts';
import { issueToken } from '../../domain/account/decisions.ts';
import type { TokenKind } from '../../domain/account/settings.ts';
import { objectId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { Handling } from '../handle.ts';

export interface WantedToken {
  readonly userId: number;
  readonly kind: TokenKind;
  /** Of a personal token. */
  readonly name: string | null;
  readonly expiresAt: Date;
  /** The hash that a password was compared with: no token is issued when it was changed meanwhile. */
  readonly passwordHash: string | null;
}

export interface IssuedToken {
  readonly tokenId: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** Answers null when the password was changed meanwhile. */
export class IssueToken extends Command<IssuedToken | null> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: WantedToken,
  ) {
    super();
  }
}

@CommandHandler(IssueToken)
export class IssueTokenHandler implements ICommandHandler<IssueToken> {
  constructor(
    @Inject(Handling) private readonly handling: Handling,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TokenStore) private readonly tokens: TokenStore,
  ) {}

  /** A repeat answers the times of the first time, and so the very same token. */
  async execute({ context, wanted }: IssueToken): Promise<IssuedToken | null> {
    const { userId, kind, passwordHash } = wanted;
    const tokenId = objectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const name = wanted.name === null ? null : await this.keyring.seal(accountStream(userId), wanted.name);
    const token = { tokenId, kind, name, expiresAt: wanted.expiresAt.toISOString() };
    const { events } = await this.handling.change(accountTarget(userId), context, (account) => issueToken(account, token));
    const first = events.find((event) => event.type === 'TokenIssued');
    const issuedAt = new Date(first?.meta.occurredAt ?? context.occurredAt);
    const expiresAt = first === undefined ? wanted.expiresAt : new Date(first.data.expiresAt);
    const added = await this.tokens.add({ tokenId, userId, kind, issuedAt, expiresAt }, passwordHash);
    return added ? { tokenId, issuedAt, expiresAt } : null;
  }
}
