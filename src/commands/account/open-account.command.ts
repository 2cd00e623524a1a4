import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CLAIMS, type Claims } from '../../persistence/claims.ts';
import { EMAIL_CLAIM, EmailDirectory } from '../../security/email-directory.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { Passwords } from '../../security/passwords/passwords.ts';
import { accountStream, accountTarget } from '../../domain/account/account.ts';
import type { AccountEvents } from '../../domain/account/account.events.ts';
import { open } from '../../domain/account/decisions.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner, TooContended } from '../command-runner.ts';

/** Somebody waits for it. An opening that takes longer may find that it lost, and is asked for again. */
const OPENING_SECONDS = 30;

export interface NewAccount extends Pick<AccountEvents['AccountOpened'], 'plan' | 'systemRole' | 'confirmed' | 'by'> {
  readonly email: string;
  readonly name: string;
  /** Null: set later, through a link. */
  readonly password: string | null;
}

export interface OpenedAccount {
  readonly userId: number;
  /** False: the address has an account already, which is left as it is. */
  readonly opened: boolean;
}

export class OpenAccount extends Command<OpenedAccount> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: NewAccount,
  ) {
    super();
  }
}

@CommandHandler(OpenAccount)
export class OpenAccountHandler implements ICommandHandler<OpenAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(CLAIMS) private readonly claims: Claims,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(EmailDirectory) private readonly directory: EmailDirectory,
    @Inject(Passwords) private readonly passwords: Passwords,
  ) {}

  /** Claim the address, append, keep the address. A crash in between leaves an unkept claim, which the sweeper decides by a fence in the stream. */
  async execute({ context, wanted }: OpenAccount): Promise<OpenedAccount> {
    const known = await this.directory.userIdOf(wanted.email);
    if (known !== null && (await this.isOpen(known))) return { userId: known, opened: false };
    const userId = await this.unusedNumber(context.commandId);
    const hash = await this.directory.hashOf(wanted.email);
    // Somebody else is about to open it, or died while doing so: which of the two is known soon.
    if (!(await this.claims.claim(EMAIL_CLAIM, hash, accountStream(userId), OPENING_SECONDS)))
      throw new TooContended('This address is being registered; try again');
    if (wanted.password !== null) await this.passwords.set(userId, wanted.password);
    await this.append(userId, context, wanted);
    await this.claims.keep(EMAIL_CLAIM, hash, accountStream(userId));
    return { userId, opened: true };
  }

  /** An event store may know accounts that a restored database does not: a number whose stream has begun is somebody else's. */
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
    const actor = by === 'registration' ? ({ kind: 'user', id: String(userId) } as const) : context.actor;
    const data = { userId, email: sealedEmail, name: sealedName, apiKey, plan, systemRole, confirmed, by };
    await this.runner.run(accountTarget(userId), { ...context, actor }, (account) => open(account, data));
  }

  private async isOpen(userId: number): Promise<boolean> {
    return (await this.runner.read(accountTarget(userId))).kind === 'open';
  }
}
