import type { Guard } from '../../security/ssrf-guard/guard.ts';
import type { Keyring } from '../../security/keyring/keyring.ts';
import { randomId } from '../../kernel/ids.ts';
import type { NotificationChannel } from '../../domain/preference/settings.ts';
import { AddressBook, withoutSecrets } from '../sender/address-book.ts';
import type { ViewsAt } from '../../projections/views/views.ts';
import { channels } from './channel-table.ts';
import type { Outside, Read } from './channel.ts';
import { openOutside, type OutsideNeeds } from './outside.ts';

export type ChannelTestAnswer =
  | { readonly kind: 'not set up'; readonly reason: string }
  | { readonly kind: 'sent'; readonly delivered: boolean; readonly answer: string };

/** Looks whether a channel's settings can be right, and sends a first message over it. */
export class ChannelTest {
  constructor(
    private readonly guard: Pick<Guard, 'readUrl'>,
    private readonly addresses: AddressBook,
    private readonly outside: Outside,
  ) {}

  read(channel: NotificationChannel, given: Readonly<Record<string, unknown>>): Read {
    return channels[channel].read(given, this.guard);
  }

  /** The key with which browsers subscribe. */
  async pushKey(): Promise<string> {
    return (await this.outside.vapid()).publicKey;
  }

  async send(userId: number, channel: NotificationChannel, link: string): Promise<ChannelTestAnswer> {
    const address = await this.addresses.find(userId, channel);
    if (address.kind === 'none') return { kind: 'not set up', reason: address.reason };
    const at = new Date(this.outside.now()).toISOString();
    const message = {
      id: randomId(),
      kind: 'test',
      project: { id: '', title: 'Watchledger', url: link },
      items: [],
      zone: address.zone,
      at,
      answers: [],
    } as const;
    const outcome = await channels[channel].deliver(address.settings, message, this.outside);
    const words = outcome.kind === 'delivered' ? outcome.answer : outcome.reason;
    return { kind: 'sent', delivered: outcome.kind === 'delivered', answer: withoutSecrets(words, address.settings) };
  }
}

export const openChannelTest = (needs: OutsideNeeds & { readonly keyring: Keyring; readonly views: ViewsAt }): ChannelTest =>
  new ChannelTest(needs.guard, new AddressBook(needs.views, needs.keyring), openOutside(needs));
