import type { SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { randomId } from '../../kernel/ids.ts';
import { childOf, formatTraceparent, newTrace, parseTraceparent } from '../../kernel/trace-context.ts';
import type { NotificationChannel } from '../preferences/preference.settings.ts';
import { AddressBook, maskSecrets } from '../sender/address-book.ts';
import { channels } from './channel-table.ts';
import type { ParsedSettings, Transports } from './channel.ts';

export type ChannelTestResult =
  | { readonly kind: 'not set up'; readonly reason: string }
  /** To this recipient. */
  | { readonly kind: 'too many' }
  | { readonly kind: 'sent'; readonly delivered: boolean; readonly answer: string };

export interface TestOptions {
  readonly link: string;
  /** Counts a mail to this recipient. */
  readonly mayMail: (address: string) => Promise<boolean>;
  /** Of the request. */
  readonly traceparent: string | undefined;
}

/** Validates a channel's settings and sends a test message over it. */
export class ChannelTest {
  constructor(
    private readonly guard: Pick<SsrfGuard, 'readUrl'>,
    private readonly addresses: AddressBook,
    private readonly transports: Transports,
  ) {}

  parseSettings(channel: NotificationChannel, given: Readonly<Record<string, unknown>>): ParsedSettings {
    return channels[channel].parseSettings(given, this.guard);
  }

  /** The VAPID public key that browsers subscribe with. */
  async pushKey(): Promise<string> {
    return (await this.transports.vapid())[0]?.publicKey ?? '';
  }

  async send(userId: number, channel: NotificationChannel, { link, mayMail, traceparent }: TestOptions): Promise<ChannelTestResult> {
    const address = await this.addresses.find(userId, channel);
    if (address.kind === 'none') return { kind: 'not set up', reason: address.reason };
    if (channel === 'email' && !(await mayMail(address.settings['address'] ?? ''))) return { kind: 'too many' };
    const parent = parseTraceparent(traceparent);
    const at = new Date(this.transports.now()).toISOString();
    const message = {
      id: randomId(),
      kind: 'test',
      project: { id: '', title: 'Watchledger', url: link },
      items: [],
      zone: address.zone,
      at,
      traceparent: formatTraceparent(parent === null ? newTrace() : childOf(parent)),
      answers: [],
    } as const;
    const outcome = await channels[channel].deliver(address.settings, message, this.transports);
    const answer = outcome.kind === 'delivered' ? outcome.answer : outcome.reason;
    return { kind: 'sent', delivered: outcome.kind === 'delivered', answer: maskSecrets(answer, address.settings) };
  }
}
