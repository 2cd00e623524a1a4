import { randomBytes } from 'node:crypto';

import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../platform/commands/command-of.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { EMAIL_CLAIM, EmailDirectory } from './email-directory.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { refuseCommonPassword } from './passwords/common-passwords.ts';
import { Passwords } from './passwords/passwords.ts';
import { accountTarget } from './account.state.ts';
import type { AccountEvents } from './account.events.ts';
import { administer, type Administration, changeProfile, confirmNotificationEmail, erase, openAccount } from './account.decider.ts';
import type { Sealed } from '../kernel/event.ts';
import { derivedId } from '../kernel/ids.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import { CommandRunner, TooContended } from '../platform/commands/command-runner.ts';
import { requireMatch } from '../platform/commands/precondition.ts';
import { IDENTITY_CLAIM } from './identities/identity-directory.ts';
import { AccountChanges } from './tokens/account-changes.ts';
import type { ReportPeriod } from './account.settings.ts';
import { PasswordChanges } from './passwords/password-changes.ts';
import { FactorStore } from './second-factors/factor-store.ts';
import { RecoveryCodes } from './second-factors/recovery-codes.ts';
import { LinkStore } from './tokens/link-store.ts';
import { ConsoleAddresses } from './sessions/console-addresses.ts';
import { KnownNetworks } from './tokens/known-networks.ts';
import { TokenStore } from './tokens/token-store.ts';
import { accountStream } from '../kernel/stream-names.ts';
import { accountTagIn, channelTagIn } from './account.view.ts';

/** A caller waits for it. An opening that takes longer may find that it lost, and is asked for again. */
const OPENING_SECONDS = 30;

export interface NewAccount extends Pick<AccountEvents['AccountOpened'], 'plan' | 'systemRole' | 'confirmed' | 'by'> {
  readonly email: string;
  readonly name: string;
  /** Null when the password is set later, through a link. */
  readonly password: string | null;
}

export interface OpenedAccount {
  readonly userId: number;
  /** False when the address has an account already, which is left as it is. */
  readonly opened: boolean;
}

export class OpenAccount extends CommandOf<{ wanted: NewAccount }, OpenedAccount> {}

@CommandHandler(OpenAccount)
export class OpenAccountHandler implements ICommandHandler<OpenAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly directory: EmailDirectory,
    private readonly passwords: Passwords,
  ) {}

  /** Claim the address, append, keep the address. A crash in between leaves an unkept claim, which the sweeper decides by a fence in the stream. */
  async execute({ context, fields: { wanted } }: OpenAccount): Promise<OpenedAccount> {
    // Refused before the address is read: a refusal must not depend on whether the address is taken.
    if (wanted.password !== null && wanted.by !== 'installation') await refuseCommonPassword(wanted.password);
    const known = await this.directory.userIdOf(wanted.email);
    if (known !== null && (await this.isOpen(known))) return { userId: known, opened: false };
    const userId = await this.unusedNumber(context.commandId);
    const hash = await this.directory.hashOf(wanted.email);
    // Another caller is opening it, or crashed while doing so: which of the two is known soon.
    if (!(await this.claims.claim(EMAIL_CLAIM, hash, accountStream(userId), OPENING_SECONDS)))
      throw new TooContended('This address is being registered; try again');
    if (wanted.password !== null) await this.passwords.set(userId, wanted.password);
    await this.append(userId, context, wanted);
    await this.claims.keep(EMAIL_CLAIM, hash, accountStream(userId));
    return { userId, opened: true };
  }

  /** An event store may contain accounts that a restored database lacks, so an id whose stream has events is skipped. */
  private async unusedNumber(commandId: string): Promise<number> {
    for (let turn = 0; ; turn++) {
      const userId = await this.claims.claimNext('user-id', turn === 0 ? commandId : derivedId(commandId, turn));
      if ((await this.runner.read(accountTarget(userId))).kind === 'none') return userId;
    }
  }

  private async append(
    userId: number,
    context: CommandContext,
    { email, name, plan, systemRole, confirmed, by }: NewAccount,
  ): Promise<void> {
    const stream = accountStream(userId);
    const [sealedEmail, sealedName, apiKey] = await Promise.all([
      this.keyring.seal(stream, email),
      this.keyring.seal(stream, name),
      this.keyring.seal(stream, randomBytes(16).toString('hex')),
    ]);
    // Who registers does so for themselves.
    const actor = by === 'registration' || by === 'provider' ? ({ kind: 'user', id: String(userId) } as const) : context.actor;
    const data = { userId, email: sealedEmail, name: sealedName, apiKey, plan, systemRole, confirmed, by };
    await this.runner.run(accountTarget(userId), { ...context, actor }, (account) => openAccount(account, data));
  }

  private async isOpen(userId: number): Promise<boolean> {
    return (await this.runner.read(accountTarget(userId))).kind === 'open';
  }
}

export class AdministerAccount extends CommandOf<{ userId: number; wanted: Administration }> {}

@CommandHandler(AdministerAccount)
export class AdministerAccountHandler implements ICommandHandler<AdministerAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly changes: AccountChanges,
  ) {}

  async execute({ context, fields: { userId, wanted } }: AdministerAccount): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => administer(account, wanted));
    this.changes.changed(userId);
  }
}

/** A profile in the clear, as its owner wrote it; null removes a value. */
export interface ProfileInput {
  readonly name?: string;
  readonly phone?: string | null;
  readonly timezone?: string;
  readonly notificationEmail?: string | null;
  readonly notificationDelay?: number;
  readonly reportPeriod?: ReportPeriod;
}

export class ChangeProfile extends CommandOf<{
  userId: number;
  wanted: ProfileInput;
  /** The notification address is part of the profile, and a channel by itself: of which of them `If-Match` has the tag. */
  matchedAs?: 'account' | 'channel';
}> {}

@CommandHandler(ChangeProfile)
export class ChangeProfileHandler implements ICommandHandler<ChangeProfile> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
  ) {}

  async execute({ context, fields: { userId, wanted, matchedAs = 'account' } }: ChangeProfile): Promise<void> {
    const { name, phone, notificationEmail, ...plain } = wanted;
    const seal = (text: string) => this.keyring.seal(accountStream(userId), text);
    const sealed = {
      ...plain,
      ...(name === undefined ? {} : { name: await seal(name) }),
      ...(phone === undefined ? {} : { phone: phone === null ? null : await seal(phone) }),
      ...(notificationEmail === undefined ? {} : { notificationEmail: notificationEmail === null ? null : await seal(notificationEmail) }),
    };
    await this.runner.run(accountTarget(userId), context, (account) => {
      requireMatch(context, () => (matchedAs === 'channel' ? channelTagIn('email', account) : accountTagIn(account)));
      return changeProfile(account, sealed);
    });
  }
}

export class ConfirmNotificationEmail extends CommandOf<{ userId: number; address: Sealed }> {}

@CommandHandler(ConfirmNotificationEmail)
export class ConfirmNotificationEmailHandler implements ICommandHandler<ConfirmNotificationEmail> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { userId, address } }: ConfirmNotificationEmail): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => confirmNotificationEmail(account, address));
  }
}

/** Every step is idempotent, so an erasure that a crash interrupted is repeated as a whole. */
export class EraseAccount extends CommandOf<{ userId: number }> {}

@CommandHandler(EraseAccount)
export class EraseAccountHandler implements ICommandHandler<EraseAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly keyring: Keyring,
    private readonly passwords: Passwords,
    private readonly begun: PasswordChanges,
    private readonly tokens: TokenStore,
    private readonly links: LinkStore,
    private readonly networks: KnownNetworks,
    private readonly addresses: ConsoleAddresses,
    private readonly factors: FactorStore,
    private readonly codes: RecoveryCodes,
    private readonly changes: AccountChanges,
  ) {}

  /**
   * The way in closes first, and again after the event, because a token or a password may have been on its way. The key goes last: everything
   * before it may still have to read what was sealed with it.
   */
  async execute({ context, fields: { userId } }: EraseAccount): Promise<void> {
    await this.close(userId);
    await this.runner.run(accountTarget(userId), context, erase);
    await this.begun.cancel(userId);
    await this.close(userId);
    await this.claims.releaseAll(EMAIL_CLAIM, accountStream(userId));
    await this.claims.releaseAll(IDENTITY_CLAIM, accountStream(userId));
    await this.keyring.erase(accountStream(userId));
  }

  private async close(userId: number): Promise<void> {
    await this.passwords.forget(userId);
    await this.tokens.revokeAll(userId);
    await this.links.forgetAll(userId);
    await this.networks.forgetAll(userId);
    await this.addresses.forget(userId);
    await this.factors.forgetAll(userId);
    await this.codes.forgetAll(userId);
    this.changes.changed(userId);
  }
}
