import type { DeliveryOutcome } from '../channels/post.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Sealed } from '../../kernel/event.ts';
import { accountView } from '../../accounts/account.view.ts';
import { type ChannelSettings, channelView } from '../channels/channel.view.ts';
import type { Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import type { DecryptedChannelSettings } from '../channels/channel.ts';

export type ChannelAddress =
  | { readonly kind: 'found'; readonly settings: DecryptedChannelSettings; readonly zone: string }
  /** The recipient cannot be reached, and why. */
  | { readonly kind: 'none'; readonly reason: string };

/** Decrypts a recipient's channel settings for the moment of sending. */
export class AddressBook {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly clock: Clock = systemClock,
  ) {}

  async find(userId: number, channel: NotificationChannel, views: Views = this.views.now()): Promise<ChannelAddress> {
    const [account, row] = await Promise.all([
      views.get(accountView, String(userId)),
      channel === 'email' ? null : views.get(channelView, String(userId)),
    ]);
    if (account === null) return none('the account was erased');
    if (channel === 'email') {
      if (!account.confirmed) return none('the e-mail address is not confirmed');
      // A notification address that was not confirmed may belong to someone else (docs/spec/decisions.md#A8).
      const named = account.notificationEmailTrusted ? account.notificationEmail : null;
      const address = await this.keyring.open(named ?? account.email);
      return address === null ? none('the account was erased') : found({ address }, account.timezone);
    }
    const kept = row?.byChannel[channel];
    if (kept === undefined) return none('the channel is not set up');
    const settings = await this.open({ ...kept.values, ...previousSecrets(kept, new Date(this.clock.now()).toISOString()) });
    return settings === null ? none('the account was erased') : found(settings, account.timezone);
  }

  /** The confirmed address of the account itself. */
  async ofAccount(userId: number): Promise<ChannelAddress> {
    const account = await this.views.now().get(accountView, String(userId));
    if (account === null) return none('the account was erased');
    if (!account.confirmed) return none('the e-mail address is not confirmed');
    const address = await this.keyring.open(account.email);
    return address === null ? none('the account was erased') : found({ address }, account.timezone);
  }

  private async open(values: Readonly<Record<string, Sealed>>): Promise<DecryptedChannelSettings | null> {
    const opened = await Promise.all(
      Object.entries(values).map(async ([name, sealed]) => [name, await this.keyring.open(sealed)] as const),
    );
    const known = opened.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
    return known.length === opened.length ? Object.fromEntries(known) : null;
  }
}

/** Beside `secret`, by names that begin with it. */
const previousSecrets = ({ previous }: ChannelSettings, now: string): Readonly<Record<string, Sealed>> =>
  Object.fromEntries(
    previous.flatMap(({ secret, until }, index) => (until > now ? [[`secret-${String(index + 1)}`, secret] as const] : [])),
  );

const none = (reason: string): ChannelAddress => ({ kind: 'none', reason });
const found = (settings: DecryptedChannelSettings, zone: string): ChannelAddress => ({ kind: 'found', settings, zone });

/** A receiver's answer may echo keys or the secret part of an address; events and API answers must not. */
export const maskSecrets = (text: string, settings: DecryptedChannelSettings): string =>
  Object.values(settings)
    .flatMap((value) => [value, ...secretParts(value)])
    .filter((value) => value.length >= 4)
    .reduce((masked, value) => masked.replaceAll(value, '(hidden)'), text);

export function maskedOutcome(outcome: DeliveryOutcome, settings: DecryptedChannelSettings): DeliveryOutcome {
  if (outcome.kind === 'delivered') return { ...outcome, answer: maskSecrets(outcome.answer, settings) };
  return { ...outcome, reason: maskSecrets(outcome.reason, settings) };
}

/** The path of an incoming webhook's address is its key. The longest parts are masked first. */
function secretParts(value: string): readonly string[] {
  const [, rest = ''] = /^https?:\/\/[^/?#]+(.*)$/i.exec(value) ?? [];
  return [rest, ...rest.split(/[/?#&=]/).filter((part) => part.length >= SECRET_LENGTH)];
}

/** Shorter path segments are words such as `services`. */
const SECRET_LENGTH = 9;
