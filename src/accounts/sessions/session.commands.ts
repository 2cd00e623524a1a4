import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { KnownNetworks } from '../tokens/known-networks.ts';
import { SessionStore } from '../tokens/session-store.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { accountTarget } from '../account.state.ts';
import { loginTarget, recordLogin } from '../login.decider.ts';
import type { SignInFactor } from '../account.settings.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { derivedId } from '../../kernel/ids.ts';
import { LimitMeter } from '../../kernel/limits.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { endingOf, type IssuedToken, SessionEnd } from '../tokens/token.commands.ts';

/** Address and program of a sign-in. */
export interface SignInOrigin {
  readonly address: string;
  readonly userAgent: string | null;
}

/** Re-authentication: the sign-in of a login token counts as made at that time. False: the account has no such login token. */
export class ConfirmSession extends Command<boolean> {
  constructor(
    readonly userId: number,
    readonly tokenId: string,
    readonly at: Date,
  ) {
    super();
  }
}

@CommandHandler(ConfirmSession)
export class ConfirmSessionHandler implements ICommandHandler<ConfirmSession> {
  constructor(
    private readonly sessions: SessionStore,
    private readonly changes: AccountChanges,
  ) {}

  async execute({ userId, tokenId, at }: ConfirmSession): Promise<boolean> {
    const confirmed = await this.sessions.confirm(tokenId, at);
    this.changes.changed(userId);
    return confirmed;
  }
}

/** What a sign-in showed. */
export interface SignInProof {
  /** The hash that the password was compared with; null: there was no password. */
  readonly passwordHash: string | null;
  /** Undefined: none, which suffices only while the account has none. */
  readonly secondFactor?: SignInFactor | undefined;
  /** When the person proved to a sign-in provider who they are; null: it did not say. Undefined: by this very sign-in. */
  readonly authenticatedAt?: Date | null;
  /** By a one-time link. */
  readonly byLink?: true;
}

/** Answers null when the compared password is no longer that of the account, or the account has got a second factor meanwhile. */
export class SignInAccount extends CommandOf<
  {
    userId: number;
    expiresAt: Date;
    proof: SignInProof;
    origin: SignInOrigin;
    /** Sessions that are valid at once. */
    most: number;
  },
  IssuedToken | null
> {}

@CommandHandler(SignInAccount)
export class SignInAccountHandler implements ICommandHandler<SignInAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly tokens: TokenStore,
    private readonly networks: KnownNetworks,
    private readonly sessions: SessionStore,
    private readonly sessionEnd: SessionEnd,
    private readonly meter: LimitMeter,
  ) {}

  /** The token is stored first: without the event it is never handed out. The network becomes known last, so that the event tells of a new one. */
  async execute({ context, fields: { userId, expiresAt, proof, origin, most } }: SignInAccount): Promise<IssuedToken | null> {
    const tokenId = await newObjectId(this.secrets, context);
    const issuedAt = new Date(context.occurredAt);
    const seal = (text: string) => this.keyring.seal(accountStream(userId), text);
    const [openedFrom, address] = await Promise.all([seal(JSON.stringify(origin)), seal(origin.address)]);
    const { passwordHash, secondFactor, authenticatedAt, byLink } = proof;
    const confirmed = authenticatedAt === undefined ? {} : { confirmedAt: authenticatedAt };
    const row = { tokenId, userId, kind: 'login', issuedAt, expiresAt, openedFrom: openedFrom.sealed, secondFactor } as const;
    if (!(await this.tokens.add({ ...row, ...confirmed }, passwordHash))) return null;
    // After the token is there: a factor that is confirmed from now on finds it.
    if (secondFactor === undefined && (await this.hasFactor(userId))) {
      await this.tokens.withdraw(tokenId);
      return null;
    }
    const { isKnown, isNew: newNetwork } = await this.networks.familiarity(userId, origin.address);
    const wanted = { tokenId, expiresAt: expiresAt.toISOString(), address, newNetwork, secondFactor, byLink };
    await this.runner.run(loginTarget(userId, tokenId), context, (login) => recordLogin(login, wanted));
    if (!isKnown) await this.networks.add(userId, origin.address);
    // A command that ended the session before its event was recorded leaves the rest to this sign-in.
    const ending = await this.sessions.endingOf(tokenId);
    if (ending !== null) await this.sessionEnd.complete(userId, tokenId, ending, context.recordAppend);
    await this.endBeyond(most, context, userId);
    return { tokenId, issuedAt, expiresAt };
  }

  private async hasFactor(userId: number): Promise<boolean> {
    const account = await this.runner.read(accountTarget(userId));
    return account.kind === 'open' && account.secondFactors.factors.size > 0;
  }

  /** As if the account had signed out there; what a crash leaves undone is completed by the abandoned work. */
  private async endBeyond(most: number, context: CommandContext, userId: number): Promise<void> {
    const { requestHash: _, ...by } = endingOf(context);
    const ended = await this.sessions.beginEndingBeyond(userId, most, (tokenId) => ({
      ...by,
      commandId: derivedId('session beyond', tokenId),
    }));
    this.meter.refused('sessions', ended.length);
    for (const { tokenId, ending } of ended) await this.sessionEnd.complete(userId, tokenId, ending, context.recordAppend);
  }
}
