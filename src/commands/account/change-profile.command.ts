import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { accountStream, accountTarget } from '../../domain/account/account.ts';
import { changeProfile } from '../../domain/account/decisions.ts';
import type { ReportPeriod } from '../../domain/account/settings.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

/** In the clear, as its owner wrote it; null takes a value away. */
export interface ProfileInput {
  readonly name?: string;
  readonly phone?: string | null;
  readonly timezone?: string;
  readonly notificationEmail?: string | null;
  readonly notificationDelay?: number;
  readonly reportPeriod?: ReportPeriod;
}

export class ChangeProfile extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly wanted: ProfileInput,
  ) {
    super();
  }
}

@CommandHandler(ChangeProfile)
export class ChangeProfileHandler implements ICommandHandler<ChangeProfile> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(KEYRING) private readonly keyring: Keyring,
  ) {}

  async execute({ context, userId, wanted }: ChangeProfile): Promise<void> {
    const { name, phone, notificationEmail, ...plain } = wanted;
    const seal = (text: string) => this.keyring.seal(accountStream(userId), text);
    const sealed = {
      ...plain,
      ...(name === undefined ? {} : { name: await seal(name) }),
      ...(phone === undefined ? {} : { phone: phone === null ? null : await seal(phone) }),
      ...(notificationEmail === undefined ? {} : { notificationEmail: notificationEmail === null ? null : await seal(notificationEmail) }),
    };
    await this.runner.run(accountTarget(userId), context, (account) => changeProfile(account, sealed));
  }
}
