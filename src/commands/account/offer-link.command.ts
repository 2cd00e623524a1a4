import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type LinkPurpose, LinkStore } from '../../security/tokens/link-store.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { offerConfirmation, offerPasswordReset, opened } from '../../domain/account/decisions.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { CommandContext } from '../context.ts';
import { CommandRunner } from '../command-runner.ts';

export interface OfferedLink {
  /** Nobody can tell it again. */
  readonly token: string;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;
}

export class OfferLink extends Command<OfferedLink> {
  constructor(
    readonly context: CommandContext,
    readonly userId: number,
    readonly purpose: LinkPurpose,
    readonly expiresAt: Date,
  ) {
    super();
  }
}

@CommandHandler(OfferLink)
export class OfferLinkHandler implements ICommandHandler<OfferLink> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(LinkStore) private readonly links: LinkStore,
  ) {}

  /** A link that sets a password also confirms: an account that waits for its confirmation is offered both. */
  async execute({ context, userId, purpose, expiresAt }: OfferLink): Promise<OfferedLink> {
    const ends = expiresAt.toISOString();
    // The same command may have opened the account a moment ago: what it wrote then is not this.
    const offering = { ...context, commandId: derivedId('link', context.commandId) };
    await this.runner.run(accountTarget(userId), offering, (account) => [
      ...(opened(account).confirmed ? [] : offerConfirmation(account, ends)),
      ...(purpose === 'password' ? offerPasswordReset(account, ends) : []),
    ]);
    return { token: await this.links.make(userId, purpose, expiresAt), purpose, expiresAt };
  }
}
