import type { Keyring } from '../../security/keyring/keyring.ts';
import type { NotificationChannel } from '../../domain/preference/settings.ts';
import type { Sealed } from '../../kernel/event.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { channelView } from '../../projections/read-models/channel/channel.view.ts';
import type { Views, ViewsAt } from '../../projections/views/views.ts';
import type { DeliveryOutcome, Settings } from '../channels/channel.ts';

export type Found =
  | { readonly kind: 'found'; readonly settings: Settings; readonly zone: string }
  /** Nowhere to send to, and why. */
  | { readonly kind: 'none'; readonly reason: string };

/** Where somebody is told, opened for the moment of sending. */
export class AddressBook {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
  ) {}

  async find(userId: number, channel: NotificationChannel, views: Views = this.views.now()): Promise<Found> {
    const [account, row] = await Promise.all([
      views.get(accountView, String(userId)),
      channel === 'email' ? null : views.get(channelView, String(userId)),
    ]);
    if (account === null) return none('the account is gone');
    if (channel === 'email') {
      if (!account.confirmed) return none('the e-mail address is not confirmed');
      // An address that was named before the account was confirmed may be a stranger's (docs/spec/decisions.md#A8).
      const named = account.notificationEmailTrusted ? account.notificationEmail : null;
      const address = await this.keyring.open(named ?? account.email);
      return address === null ? none('the account is gone') : found({ address }, account.timezone);
    }
    const kept = row?.byChannel[channel];
    if (kept === undefined) return none('the channel is not set up');
    const settings = await this.open(kept.values);
    return settings === null ? none('the account is gone') : found(settings, account.timezone);
  }

  private async open(values: Readonly<Record<string, Sealed>>): Promise<Settings | null> {
    const opened = await Promise.all(
      Object.entries(values).map(async ([name, sealed]) => [name, await this.keyring.open(sealed)] as const),
    );
    const known = opened.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const]));
    return known.length === opened.length ? Object.fromEntries(known) : null;
  }
}

const none = (reason: string): Found => ({ kind: 'none', reason });
const found = (settings: Settings, zone: string): Found => ({ kind: 'found', settings, zone });

/** Answers of the other side may repeat what we sent it, and parts of the address that we sent it to: neither events nor answers of the API show that. */
export const withoutSecrets = (text: string, settings: Settings): string =>
  Object.values(settings)
    .flatMap((value) => [value, ...secretParts(value)])
    .filter((value) => value.length >= 4)
    .reduce((masked, value) => masked.replaceAll(value, '(hidden)'), text);

/** What the other side said, as everybody may see it. */
export function shownOutcome(outcome: DeliveryOutcome, settings: Settings): DeliveryOutcome {
  if (outcome.kind === 'delivered') return { ...outcome, answer: withoutSecrets(outcome.answer, settings) };
  return { ...outcome, reason: withoutSecrets(outcome.reason, settings) };
}

/** What follows the host of an address is as secret as the whole: it is the key of an incoming webhook. Long ones first. */
function secretParts(value: string): readonly string[] {
  const [, rest = ''] = /^https?:\/\/[^/?#]+(.*)$/i.exec(value) ?? [];
  return [rest, ...rest.split(/[/?#&=]/).filter((part) => part.length >= LONG_ENOUGH)];
}

/** A shorter part is a word such as `services`. */
const LONG_ENOUGH = 9;
