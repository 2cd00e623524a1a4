import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../security/keyring/secrets.ts';
import { KnownNetworks } from '../security/tokens/known-networks.ts';
import { TokenStore } from '../security/tokens/token-store.ts';
import { loginTarget, recordLogin } from '../domain/account/login.ts';
import { accountStream } from '../domain/stream-names.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import type { IssuedToken } from './token.commands.ts';

/** From where somebody signs in. */
export interface SignInOrigin {
  readonly address: string;
  readonly userAgent: string | null;
}

/** Answers null when the compared password is no longer that of the account. */
export class SignInAccount extends Command<IssuedToken | null> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly expiresAt: Date,
    readonly passwordHash: string,
    readonly origin: SignInOrigin,
  ) {
    super();
  }
}

@CommandHandler(SignInAccount)
export class SignInAccountHandler implements ICommandHandler<SignInAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(KnownNetworks) private readonly networks: KnownNetworks,
  ) {}

  /** The token is stored first: without the event it is never handed out. The network becomes known last, so that the event tells of a new one. */
  async execute({ context, userId, expiresAt, passwordHash, origin }: SignInAccount): Promise<IssuedToken | null> {
    const tokenId = derivedObjectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const issuedAt = new Date(context.occurredAt);
    const seal = (text: string) => this.keyring.seal(accountStream(userId), text);
    const [openedFrom, address] = await Promise.all([seal(JSON.stringify(origin)), seal(origin.address)]);
    const row = { tokenId, userId, kind: 'login', issuedAt, expiresAt, openedFrom: openedFrom.sealed } as const;
    if (!(await this.tokens.add(row, passwordHash))) return null;
    const { isKnown, isNew: newNetwork } = await this.networks.familiarity(userId, origin.address);
    const wanted = { tokenId, expiresAt: expiresAt.toISOString(), address, newNetwork };
    await this.runner.run(loginTarget(userId, tokenId), context, (login) => recordLogin(login, wanted));
    if (!isKnown) await this.networks.add(userId, origin.address);
    return { tokenId, issuedAt, expiresAt };
  }
}
