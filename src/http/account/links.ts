import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { EmailDirectory } from '../../security/email-directory.ts';
import { type Mail, MAILER, type Mailer } from '../../delivery/mail/mailer.ts';
import type { LinkPurpose } from '../../security/tokens/link-store.ts';
import { TryStore } from '../../security/tokens/try-store.ts';
import { OfferLink } from '../../commands/account/offer-link.command.ts';
import type { CommandContext } from '../../commands/context.ts';
import { CONFIG, type Config } from '../../config.ts';

const HOUR = 3_600_000;
const LASTS: Readonly<Record<Occasion, number>> = { registration: 72 * HOUR, invitation: 7 * 24 * HOUR, reset: 2 * HOUR };

/** To one address in a quarter of an hour. */
const MAILS = 3;

export type Occasion = 'registration' | 'invitation' | 'reset';

const PURPOSE: Readonly<Record<Occasion, LinkPurpose>> = { registration: 'confirm', invitation: 'password', reset: 'password' };

/** Makes links and mails them. What they open never stands in a log, and a mail that fails is no failure of what it goes with. */
@Injectable()
export class Links {
  private readonly logger = new Logger('links');

  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(MAILER) private readonly mailer: Mailer,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(TryStore) private readonly tries: TryStore,
    @Inject(EmailDirectory) private readonly directory: EmailDirectory,
  ) {}

  /** The mail goes out behind the answer. Nobody can have an address flooded: what is too much is left out without a word. */
  async offer(context: CommandContext, userId: number, email: string, occasion: Occasion): Promise<void> {
    const key = `mail ${await this.directory.hashOf(email)}`;
    if (occasion !== 'registration' && !(await this.tries.take(key, MAILS))) return;
    const expiresAt = new Date(Date.now() + LASTS[occasion]);
    const { token, purpose } = await this.commands.execute(new OfferLink(context, userId, PURPOSE[occasion], expiresAt));
    void this.mail({ to: email, ...textOf(occasion, linkTo(this.config, purpose, token), expiresAt) });
  }

  private async mail(mail: Mail): Promise<void> {
    const outcome = await this.mailer.send(mail);
    if (outcome.kind === 'failed') this.logger.warn(`a mail could not be sent: ${outcome.reason.replaceAll(mail.to, '<recipient>')}`);
  }
}

function textOf(occasion: Occasion, link: string, expiresAt: Date): Pick<Mail, 'subject' | 'text'> {
  const until = `The link works once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
  const texts: Readonly<Record<Occasion, readonly [string, string]>> = {
    registration: ['Please confirm your e-mail address', 'Welcome to Watchledger. Please confirm that this address is yours:'],
    invitation: ['You were invited to a project', 'You were added to a project on Watchledger. Choose a password to sign in:'],
    reset: ['A new password', 'Somebody, hopefully you, asked for a new password. Choose one here:'],
  };
  const [subject, opening] = texts[occasion];
  return { subject, text: `${opening}\n\n${link}\n\n${until}\nIf you did not expect this message, you can ignore it.\n` };
}

const PAGE: Readonly<Record<LinkPurpose, string>> = { confirm: 'confirm', password: 'password/reset' };

/** From the configuration alone: the host that a request names could be anybody's. */
export function linkTo(
  { publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  purpose: LinkPurpose,
  token: string,
): string {
  const base = publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${String(port)}`;
  return `${base}/api/account/${PAGE[purpose]}?token=${token}`;
}
