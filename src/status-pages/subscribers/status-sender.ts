import { linkBaseOf, pageUrlOf } from '../page/page-address.ts';
import { chooseLanguage } from '../words/words.ts';
import { statusPageLanguages } from '../status-page.settings.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { statusPageView, type StatusPageRow } from '../status-page.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { Transports } from '../../alerts/channels/channel.ts';
import { deliverMail } from '../../alerts/channels/email.channel.ts';
import { outcomeOfReply } from '../../alerts/channels/post.ts';
import { maskSecrets } from '../../alerts/sender/address-book.ts';
import { OutboxRelay, type SendOutcome } from '../../platform/outbox/outbox-relay.ts';
import type { OutboxRows } from '../../platform/outbox/outbox-rows.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import { composeStatusMail, webhookNotice } from './status-message.ts';
import { type StatusDelivery, type StatusOutbox, STATUS_NOTICES } from './status-outbox.ts';
import type { SubscriberKind, SubscriberLinks } from './subscriber-links.ts';
import type { SubscriberStore } from './subscriber-store.ts';

export interface StatusSenderParts {
  readonly outbox: StatusOutbox;
  readonly rows: OutboxRows;
  readonly subscribers: SubscriberStore;
  readonly links: SubscriberLinks;
  readonly views: Pick<ViewsAt, 'now'>;
  readonly transports: Pick<Transports, 'post' | 'mailer' | 'mailFrom' | 'now'>;
  readonly wake: Pick<Wake, 'bell'>;
  /** The origin of the service. */
  readonly origin: string;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/** At once: more mails would hold up alerts at the mail server, and a slow webhook holds up only a few others. */
const CONCURRENT: Readonly<Record<SubscriberKind, number>> = { email: 2, webhook: 32 };

/** Composes the mails and webhooks to the subscribers of status pages. A repetition after a crash has the same message id. */
export class StatusSender {
  /** The relay of their transactional outbox. */
  readonly relay: OutboxRelay<StatusDelivery>;

  constructor(private readonly parts: StatusSenderParts) {
    const { outbox, transports } = parts;
    this.relay = new OutboxRelay({
      ...parts,
      clock: transports,
      topic: STATUS_NOTICES,
      due: (now, inFlight) => outbox.due(now, inFlight),
      nextAt: (after) => outbox.nextAt(after),
      isEmpty: () => outbox.isEmpty(),
      deleteFinished: (before) => outbox.deleteFinished(before),
      send: async (delivery) => ({ outcome: await this.send(delivery) }),
      ruleOf: ({ kind, subscriberId }) => ({ channel: kind, maxConcurrent: CONCURRENT[kind], recipient: subscriberId }),
    });
  }

  private async send(delivery: StatusDelivery): Promise<SendOutcome> {
    const { views, subscribers, links, origin } = this.parts;
    const page = await views.now().get(statusPageView, delivery.pageId);
    if (page === null) return { kind: 'refused', reason: 'the page was deleted' };
    if (page.settings.access === 'members') return { kind: 'refused', reason: 'the page is for members' };
    const { address: recipient, secret } = await subscribers.addressOf(delivery.sealed);
    const address = { slug: page.settings.slug, hosts: page.hosts };
    const leave = `${linkBaseOf(address, origin)}/leave?token=${await links.unsubscribeToken(delivery.subscriberId)}`;
    const outcome = await (delivery.kind === 'email'
      ? this.mail(delivery, page, recipient, leave)
      : this.post(delivery, page, { url: recipient, secret: secret ?? '' }, leave));
    if (outcome.kind === 'abandoned' || outcome.kind === 'delivered') return outcome;
    return { ...outcome, reason: maskSecrets(outcome.reason, { recipient }) };
  }

  private mail({ id, facts, language: asked }: StatusDelivery, page: StatusPageRow, to: string, leave: string): Promise<SendOutcome> {
    const language = chooseLanguage(statusPageLanguages, asked, undefined);
    return deliverMail(this.parts.transports, {
      id,
      to,
      ...composeStatusMail(facts, this.shown(page), leave, language),
      unsubscribe: leave,
    });
  }

  private async post(
    { id, facts, madeAt, subscriberId }: StatusDelivery,
    page: StatusPageRow,
    { url, secret }: { readonly url: string; readonly secret: string },
    leave: string,
  ): Promise<SendOutcome> {
    const { transports, subscribers } = this.parts;
    const body = webhookNotice(facts, this.shown(page), leave, madeAt.getTime());
    const headers = { 'content-type': 'application/json', ...signed([secret], id, Math.floor(transports.now() / 1_000), body) };
    const reply = await transports.post({ url, body, headers });
    if (reply.kind !== 'answered' || reply.status !== 410) return outcomeOfReply(reply);
    // 410 Gone unsubscribes.
    await subscribers.remove(subscriberId);
    return { kind: 'abandoned' };
  }

  private shown({ settings: { slug, title }, hosts }: StatusPageRow): { readonly title: string; readonly url: string } {
    return { title, url: pageUrlOf({ slug, hosts }, this.parts.origin) };
  }
}
