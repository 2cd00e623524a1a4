import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PasswordChanges } from '../../security/passwords/password-changes.ts';
import { AccountChanges } from '../../security/tokens/account-changes.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { AccountNotFound, changePassword } from '../../domain/account/decisions.ts';
import { type CommandContext, systemContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export type Settled = 'settled' | 'nothing was begun' | 'account gone';

/** Carries through what was begun of a change of password, whoever began it: its event, then what the event says. */
export class SettlePassword extends Command<Settled> {
  constructor(
    readonly userId: number,
    readonly recordAppend: CommandContext['recordAppend'] = () => undefined,
  ) {
    super();
  }
}

@CommandHandler(SettlePassword)
export class SettlePasswordHandler implements ICommandHandler<SettlePassword> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(PasswordChanges) private readonly begun: PasswordChanges,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /** Several may do this at once: the command's id finds the event that another wrote, and one of them puts the password in force. */
  async execute({ userId, recordAppend }: SettlePassword): Promise<Settled> {
    const change = await this.begun.of(userId);
    if (change === null) return 'nothing was begun';
    const { actor, commandId, occurredAt, requestHash, by } = change;
    const asBegun = systemContext(actor, Date.parse(occurredAt), { commandId, recordAppend });
    const context = requestHash === undefined ? asBegun : { ...asBegun, requestHash };
    try {
      await this.runner.run(accountTarget(userId), context, (account) => changePassword(account, by));
    } catch (error) {
      if (!(error instanceof AccountNotFound)) throw error;
      await this.begun.giveUp(userId);
      return 'account gone';
    }
    await this.begun.carryThrough(change);
    this.changes.changed(userId);
    return 'settled';
  }
}
