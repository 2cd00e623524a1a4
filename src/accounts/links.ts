import { type Config, CONFIG } from '../platform/config/config.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { type LinkPurpose, LinkStore } from './tokens/link-store.ts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { accountStream } from '../kernel/stream-names.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { MailOutbox } from '../platform/mail/mail-outbox.ts';
import type { Mail } from '../platform/mail/mailer.ts';
import type { InvitationKind } from './tokens/invitations.ts';
import { MailLimit } from './tokens/mail-limit.ts';
import { OfferLink } from './passwords/password.commands.ts';
import type { CommandContext } from '../platform/commands/context.ts';
import { HOUR_MS } from '../kernel/time.ts';

const PAGE: Readonly<Record<LinkPurpose | 'invitation', string>> = {
  confirm: 'api/account/confirm?token=',
  password: 'api/account/password/reset?token=',
  notification: 'api/account/notification-email/confirm?token=',
  invitation: 'api/account/invitation?token=',
  // The fragment reaches no server, no log and no `Referer`.
  'sign-in': 'console/welcome#link=',
};

export const linkTo = (config: Pick<Config, 'publicUrl' | 'host' | 'port'>, purpose: LinkPurpose | 'invitation', token: string): string =>
  linkAt(ownOrigin(config), purpose, token);

export const linkAt = (base: string, purpose: LinkPurpose | 'invitation', token: string): string => `${base}/${PAGE[purpose]}${token}`;

const VALIDITY_MS: Readonly<Record<LinkOccasion, number>> = {
  registration: 72 * HOUR_MS,
  reset: 2 * HOUR_MS,
  taken: 2 * HOUR_MS,
  notification: 72 * HOUR_MS,
};

/** `taken`: the address of a registration has an account already. */
export type LinkOccasion = 'registration' | 'reset' | 'taken' | 'notification';

const PURPOSE: Readonly<Record<LinkOccasion, LinkPurpose>> = {
  registration: 'confirm',
  reset: 'password',
  taken: 'password',
  notification: 'notification',
};

/** Creates one-time links and mails them. Their tokens are never logged, and a mail that fails does not fail the request. */
@Injectable()
export class Links {
  private readonly logger = new Logger('links');

  constructor(
    private readonly commands: CommandBus,
    private readonly outbox: MailOutbox,
    @Inject(CONFIG) private readonly config: Config,
    private readonly limit: MailLimit,
    private readonly store: LinkStore,
    private readonly keyring: Keyring,
  ) {}

  /** The mail is stored before the answer and sent after it. Mails beyond the rate limit of an address are dropped silently, so that requests cannot flood it. */
  async offer(context: CommandContext, userId: number, email: string, occasion: LinkOccasion): Promise<void> {
    if (!(await this.mayMail(email, occasion))) return;
    const expiresAt = new Date(Date.now() + VALIDITY_MS[occasion]);
    const { token, purpose } = await this.commands.execute(new OfferLink(context, { userId, purpose: PURPOSE[occasion], expiresAt }));
    await this.outbox.add({ userId, to: email, ...textOf(occasion, linkTo(this.config, purpose, token), expiresAt) });
  }

  /**
   * Mails the link of an invitation or an offered transfer, within the same limit. Of the sender it has the confirmed address alone: title and URL of the
   * project may say anything, so they stand on the page behind the link.
   */
  async invite(email: string, kind: InvitationKind, sender: string | null, token: string, expiresAt: Date): Promise<void> {
    if (!(await this.mayMail(email, 'invitation'))) return;
    const [subject, offer] = INVITING[kind];
    const opening = `${sender ?? 'A user'} ${offer} on Watchledger. See which one, and accept:`;
    await this.outbox.add({ to: email, subject, text: textAround(opening, linkTo(this.config, 'invitation', token), expiresAt) });
  }

  /** To a notification address, which gets nothing else before its owner has used the link. */
  async offerNotification(userId: number, address: string): Promise<void> {
    if (!(await this.mayMail(address, 'notification'))) return;
    const expiresAt = new Date(Date.now() + VALIDITY_MS.notification);
    const { sealed } = await this.keyring.seal(accountStream(userId), address);
    const token = await this.store.create(userId, 'notification', expiresAt, sealed);
    await this.outbox.add({ userId, to: address, ...textOf('notification', linkTo(this.config, 'notification', token), expiresAt) });
  }

  private async mayMail(address: string, occasion: LinkOccasion | 'invitation'): Promise<boolean> {
    const within = await this.limit.allowsLink(address);
    if (!within) this.logger.warn({ msg: 'mail not sent: too many to this recipient', occasion });
    return within;
  }
}

function textOf(occasion: LinkOccasion, link: string, expiresAt: Date): Pick<Mail, 'subject' | 'text'> {
  const texts: Readonly<Record<LinkOccasion, readonly [string, string]>> = {
    registration: ['Please confirm your e-mail address', 'Welcome to Watchledger. Please confirm that this address is yours:'],
    taken: [
      'You have an account already',
      'An account was requested for this address, which already has one. If it was you, sign in with your password, or choose a new one here:',
    ],
    notification: [
      'Please confirm this address for notifications',
      'An account on Watchledger wants to send its notifications to this address. If it is yours and you want them, confirm it here:',
    ],
    reset: ['A new password', 'A new password was requested for your account. Choose one here:'],
  };
  const [subject, opening] = texts[occasion];
  return { subject, text: textAround(opening, link, expiresAt) };
}

const INVITING: Readonly<Record<InvitationKind, readonly [string, string]>> = {
  member: ['You are invited to a project', 'invites you to a project'],
  owner: ['A project is offered to you', 'offers you a project, to become its owner,'],
};

function textAround(opening: string, link: string, expiresAt: Date): string {
  const until = `The link works once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  return `${opening}\n\n${link}\n\n${until}\nIf you did not expect this message, you can ignore it.\n`;
}
