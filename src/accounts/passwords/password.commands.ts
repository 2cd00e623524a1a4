import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { type PasswordChange, PasswordChanges } from './password-changes.ts';
import { refuseCommonPassword } from './common-passwords.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { accountTarget } from '../account.state.ts';
import { AccountNotFound, changePassword, offerConfirmation, offerPasswordReset, requireOpenAccount } from '../account.decider.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import { CommandRunner, TooContended } from '../../platform/commands/command-runner.ts';
import { DomainError } from '../../kernel/errors.ts';
import { type LinkPurpose, LinkStore } from '../tokens/link-store.ts';
import { derivedId } from '../../kernel/ids.ts';

export type Settled = 'settled' | 'nothing was begun' | 'account not found';

/** Completes a pending change of password: appends its event, then puts the password in force. */
export class SettlePassword extends Command<Settled> {
  constructor(
    readonly userId: number,
    readonly given: Partial<Pick<CommandContext, 'gate' | 'recordAppend'>> = {},
  ) {
    super();
  }
}

@CommandHandler(SettlePassword)
export class SettlePasswordHandler implements ICommandHandler<SettlePassword> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly begun: PasswordChanges,
    private readonly changes: AccountChanges,
  ) {}

  /** Several may do this at once: the command's id finds the event that another wrote, and one of them puts the password in force. */
  async execute({ userId, given: { gate, recordAppend } }: SettlePassword): Promise<Settled> {
    const change = await this.begun.pendingOf(userId);
    if (change === null) return 'nothing was begun';
    const { actor, commandId, occurredAt, requestHash, by } = change;
    const asBegun = systemContext(actor, Date.parse(occurredAt), {
      commandId,
      gate,
      ...(recordAppend === undefined ? {} : { recordAppend }),
    });
    const context = requestHash === undefined ? asBegun : { ...asBegun, requestHash };
    try {
      await this.runner.run(accountTarget(userId), context, (account) => changePassword(account, by));
    } catch (error) {
      if (!(error instanceof AccountNotFound)) throw error;
      await this.begun.cancel(userId);
      return 'account not found';
    }
    await this.begun.complete(change);
    this.changes.changed(userId);
    return 'settled';
  }
}

export class LinkInvalid extends DomainError {
  readonly code = 'LINK_INVALID';

  constructor(field = 'token') {
    super(`${field}: is not valid, was used already, or has expired.`);
  }
}

/** Ends every token and every link of the account, the one that asked included. */
export class ChangePassword extends CommandOf<{
  userId: number;
  password: string;
  by: PasswordChange['by'];
  /** The token of the link through which it is asked for. */
  link?: string | null;
}> {}

const TURNS = 12;

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly begun: PasswordChanges,
    private readonly settling: SettlePasswordHandler,
  ) {}

  /**
   * Note it, write the event, put it in force (docs/decisions/beside-the-log.md): a new password never counts without its event, and where a
   * crash comes between the two, the next login or the sweeper finds the note.
   */
  async execute({ context, fields: { userId, password, by, link = null } }: ChangePassword): Promise<void> {
    context.gate?.check();
    const target = accountTarget(userId);
    requireOpenAccount(await this.runner.read(target));
    // A late repeat must not bring back a password that another one has replaced since.
    const isDone = await this.runner.wasRun(target, context);
    if (!isDone) await refuseCommonPassword(password);
    if (!isDone) await this.begin({ userId, by, ...namesOf(context) }, password, link, context.gate);
    if ((await this.settling.execute(new SettlePassword(userId, context))) === 'account not found') throw new AccountNotFound();
    // Its place, for the reader of the answer.
    if (isDone) await this.runner.run(target, context, () => []);
  }

  private async begin(change: PasswordChange, password: string, link: string | null, gate: CommandContext['gate']): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      const begun = await this.begun.begin(change, password, link);
      if (begun === 'begun') return;
      if (begun === 'invalid link') throw new LinkInvalid();
      await this.settling.execute(new SettlePassword(change.userId, { gate }));
    }
    throw new TooContended('too many concurrent password changes; retry shortly');
  }
}

const namesOf = ({ actor, commandId, occurredAt, requestHash }: CommandContext): Omit<PasswordChange, 'userId' | 'by'> => ({
  actor,
  commandId,
  occurredAt,
  ...(requestHash === undefined ? {} : { requestHash }),
});

export interface OfferedLink {
  /** Stored only as a hash, so it is shown once. */
  readonly token: string;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
}

export class OfferLink extends CommandOf<
  {
    userId: number;
    purpose: LinkPurpose;
    expiresAt: Date;
    /** A start of the service offers the link to the first account. */
    isFirst?: boolean;
  },
  OfferedLink
> {}

@CommandHandler(OfferLink)
export class OfferLinkHandler implements ICommandHandler<OfferLink> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly links: LinkStore,
  ) {}

  /** A link that sets a password also confirms: an account that waits for its confirmation is offered both. */
  async execute({ context, fields: { userId, purpose, expiresAt, isFirst = false } }: OfferLink): Promise<OfferedLink> {
    const ends = expiresAt.toISOString();
    // The same command may have opened the account before; its events are not those of the offer.
    const offering = { ...context, commandId: derivedId('link', context.commandId) };
    await this.runner.run(accountTarget(userId), offering, (account) => [
      ...(requireOpenAccount(account).confirmed ? [] : offerConfirmation(account, ends)),
      ...(purpose === 'confirm' ? [] : offerPasswordReset(account, ends, purpose === 'sign-in')),
    ]);
    const token = isFirst ? await this.links.createFirst(userId, expiresAt) : await this.links.create(userId, purpose, expiresAt);
    return { token, purpose, expiresAt };
  }
}
