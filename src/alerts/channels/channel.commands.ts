import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import type { AddressedChannel } from '../../accounts/account.events.ts';
import { endPreviousSecrets, removeChannel, setChannel } from '../../accounts/account.decider.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { webhookSecretOf } from '../../platform/outbox/standard-webhooks.ts';
import { accountStream } from '../../kernel/stream-names.ts';
import { channelTagIn } from '../../accounts/account.view.ts';
import { HOUR_MS } from '../../kernel/time.ts';

/** Answers the secret of a webhook, the only time that it is shown; null for other channels. */
export class SetChannel extends CommandOf<
  {
    userId: number;
    channel: AddressedChannel;
    /** In the clear. */
    settings: Readonly<Record<string, string>>;
    /** For which the secret before a new one signs as well. */
    overlapHours: number;
  },
  string | null
> {}

@CommandHandler(SetChannel)
export class SetChannelHandler implements ICommandHandler<SetChannel> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { userId, channel, settings, overlapHours } }: SetChannel): Promise<string | null> {
    const secret = channel === 'webhook' ? await webhookSecretOf(this.secrets, context.commandId) : null;
    const kept = Object.entries({ ...settings, ...(secret === null ? {} : { secret }) });
    const sealed = await Promise.all(
      kept.map(async ([name, text]) => [name, await this.keyring.seal(accountStream(userId), text)] as const),
    );
    const wanted = { channel, values: Object.fromEntries(sealed) };
    const previousUntil = overlapHours === 0 ? null : new Date(Date.parse(context.occurredAt) + overlapHours * HOUR_MS).toISOString();
    await this.runner.run(accountTarget(userId), context, (account) => {
      requireMatch(context, () => channelTagIn(channel, account));
      return setChannel(account, wanted, previousUntil);
    });
    return secret;
  }
}

/** Ends the secrets before the present one at once. */
export class EndPreviousSecrets extends CommandOf<{ userId: number; channel: AddressedChannel }> {}

@CommandHandler(EndPreviousSecrets)
export class EndPreviousSecretsHandler implements ICommandHandler<EndPreviousSecrets> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { userId, channel } }: EndPreviousSecrets): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => {
      requireMatch(context, () => channelTagIn(channel, account));
      return endPreviousSecrets(account, channel, context.occurredAt);
    });
  }
}

export class RemoveChannel extends CommandOf<{ userId: number; channel: AddressedChannel }> {}

@CommandHandler(RemoveChannel)
export class RemoveChannelHandler implements ICommandHandler<RemoveChannel> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { userId, channel } }: RemoveChannel): Promise<void> {
    await this.runner.run(accountTarget(userId), context, (account) => {
      requireMatch(context, () => channelTagIn(channel, account));
      return removeChannel(account, channel);
    });
  }
}
