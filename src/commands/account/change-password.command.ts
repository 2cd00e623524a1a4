import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PasswordChange, PasswordChanges } from '../../security/passwords/password-changes.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { AccountNotFound, opened } from '../../domain/account/decisions.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner, TooContended } from '../command-runner.ts';
import { SettlePassword, SettlePasswordHandler } from './settle-password.command.ts';

export class LinkInvalid extends DomainError {
  readonly code = 'LINK_INVALID';

  constructor() {
    super('token: is not valid, was used already, or has expired.');
  }
}

/** Ends every token and every link of the account, the one that asked included. */
export class ChangePassword extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly password: string,
    readonly by: PasswordChange['by'],
    /** The token of the link through which it is asked for. */
    readonly link: string | null = null,
  ) {
    super();
  }
}

const TURNS = 12;

@CommandHandler(ChangePassword)
export class ChangePasswordHandler implements ICommandHandler<ChangePassword> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(PasswordChanges) private readonly begun: PasswordChanges,
    @Inject(SettlePasswordHandler) private readonly settling: SettlePasswordHandler,
  ) {}

  /**
   * Note it, write the event, put it in force (docs/decisions/beside-the-log.md): a new password never counts without its event, and where a
   * crash comes between the two, the next login or the sweeper finds the note.
   */
  async execute({ context, userId, password, by, link }: ChangePassword): Promise<void> {
    context.gate?.check();
    const target = accountTarget(userId);
    opened(await this.runner.read(target));
    // A late repeat must not bring back a password that another one has replaced since.
    const isDone = await this.runner.wasRun(target, context);
    if (!isDone) await this.begin({ userId, by, ...namesOf(context) }, password, link);
    if ((await this.settling.execute(new SettlePassword(userId, context.recordAppend))) === 'account gone') throw new AccountNotFound();
    // Its place, for the reader of the answer.
    if (isDone) await this.runner.run(target, context, () => []);
  }

  private async begin(change: PasswordChange, password: string, link: string | null): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) {
      const begun = await this.begun.begin(change, password, link);
      if (begun === 'begun') return;
      if (begun === 'link gone') throw new LinkInvalid();
      await this.settling.execute(new SettlePassword(change.userId));
    }
    throw new TooContended('too many concurrent password changes; retry shortly');
  }
}

const namesOf = ({ actor, commandId, occurredAt, requestHash }: CommandContext): Omit<PasswordChange, 'userId' | 'by'> => ({
  ...{ actor, commandId, occurredAt },
  ...(requestHash === undefined ? {} : { requestHash }),
});
