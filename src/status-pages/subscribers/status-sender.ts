import { linkBaseOf, pageUrlOf } from '../page/page-address.ts';
import { chooseLanguage } from '../words/words.ts';
import { statusPageLanguages } from '../status-page.settings.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { statusPageView, type StatusPageRow } from '../status-page.view.ts';
import type { ViewsAt } from '../../platform/read-models/views/views.ts';
import type { DeliveryOutcome, Transports } from '../../alerts/channels/channel.ts';
import { deliverMail } from '../../alerts/channels/email.channel.ts';
import { outcomeOfReply } from '../../alerts/channels/outcome-of-reply.ts';
import { maskSecrets } from '../../alerts/sender/address-book.ts';
import { extendedDeadline, nextAttemptAt } from '../../platform/outbox/retry-schedule.ts';
import { signed } from '../../platform/outbox/standard-webhooks.ts';
import { composeStatusMail, webhookNotice } from './status-message.ts';
import { type StatusDelivery, type StatusOutbox, STATUS_NOTICES } from './status-outbox.ts';
import type { SubscriberKind, SubscriberLinks } from './subscriber-links.ts';
import type { SubscriberStore } from './subscriber-store.ts';

export interface StatusSenderParts {
  readonly outbox: StatusOutbox;
  readonly subscribers: SubscriberStore;
  readonly links: SubscriberLinks;
  readonly views: Pick<ViewsAt, 'now'>;
  readonly transports: Pick<Transports, 'post' | 'mailer' | 'mailFrom' | 'now'>;
  readonly wake: Pick<Wake, 'bell'>;
  /** Of the service. */
  readonly origin: string;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/** At once: more mails would hold up alerts at the mail server, and a slow webhook holds up only a few others. */
const CONCURRENT: Readonly<Record<SubscriberKind, number>> = { email: 2, webhook: 32 };
const BATCH = 64;
const SHORTEST_WAIT_MS = 50;
const OWN_FAILURE_MS = 5_000;
/** How long what was delivered is kept, so that nothing is sent twice. */
const RETENTION_MS = 90 * 86_400_000;
const CLEANUP_INTERVAL_MS = 3_600_000;

/** `unsubscribed`: the receiver answered 410 Gone. */
type StatusOutcome = DeliveryOutcome | { readonly kind: 'unsubscribed' };

/**
 * The sending end of the outbox of status pages: mails and webhooks in a loop each, at least once, with retries and back-off for 24 hours; then a message is a
 * dead letter. A repetition after a crash has the same message id.
 */
export class StatusSender {
  private cleanedUpAt = 0;

  constructor(private readonly parts: StatusSenderParts) {}

  async work(signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const working = AbortSignal.any([signal, ended.signal]);
    const loop = (kind: SubscriberKind): Promise<void> =>
      this.loop(kind, working).finally(() => {
        ended.abort();
      });
    const settled = await Promise.allSettled([loop('email'), loop('webhook')]);
    for (const one of settled) if (one.status === 'rejected') throw one.reason;
  }

  /** Sends what is due of a kind; answers how many messages that were. */
  async sendDue(kind: SubscriberKind, signal: AbortSignal): Promise<number> {
    const { outbox, transports } = this.parts;
    const due = await outbox.due(kind, transports.now(), BATCH);
    const limit = new ConcurrencyLimit(CONCURRENT[kind]);
    await Promise.all(due.map((delivery) => limit.run(() => (signal.aborted ? Promise.resolve() : this.deliver(delivery, kind)))));
    return due.length;
  }

  private async loop(kind: SubscriberKind, signal: AbortSignal): Promise<void> {
    const { wake, outbox, transports } = this.parts;
    const bell = wake.bell(STATUS_NOTICES);
    try {
      while (!signal.aborted) {
        if (kind === 'email') await this.cleanUp();
        if ((await this.sendDue(kind, signal)) > 0) continue;
        const at = await outbox.nextAt(kind);
        let rang = await bell.poll(signal, at === null ? Infinity : Math.max(SHORTEST_WAIT_MS, at - transports.now()));
        // A poll of an empty outbox.
        while (!rang && !signal.aborted && (await outbox.nextAt(kind)) === null) {
          if (kind === 'email') await this.cleanUp();
          rang = await bell.poll(signal);
        }
      }
    } finally {
      bell.close();
    }
  }

  private async cleanUp(): Promise<void> {
    const now = this.parts.transports.now();
    if (now - this.cleanedUpAt < CLEANUP_INTERVAL_MS) return;
    this.cleanedUpAt = now;
    await this.parts.outbox.deleteFinished(now - RETENTION_MS);
  }

  private async deliver(delivery: StatusDelivery, kind: SubscriberKind): Promise<void> {
    const { outbox, subscribers, transports, random, report } = this.parts;
    const { id, subscriberId } = delivery;
    const [began, attempts] = [transports.now(), delivery.attempts + 1];
    const giveUpAt = extendedDeadline(delivery, began);
    let outcome: StatusOutcome;
    try {
      outcome = await this.send(delivery, kind);
    } catch (error) {
      report(error);
      return outbox.reschedule(id, delivery.attempts, 'failed inside Watchledger', { at: began + OWN_FAILURE_MS, giveUpAt });
    }
    const now = transports.now();
    switch (outcome.kind) {
      case 'delivered':
        return outbox.markFinished(id, 'delivered', attempts, outcome.answer, now);
      case 'unsubscribed':
        return subscribers.remove(subscriberId);
      case 'refused':
        return outbox.markFinished(id, 'failed', attempts, outcome.reason, now);
      case 'later':
        if (now >= giveUpAt.getTime()) return outbox.markFinished(id, 'failed', attempts, `tried for 24 hours: ${outcome.reason}`, now);
        return outbox.reschedule(id, attempts, outcome.reason, {
          at: Math.min(giveUpAt.getTime(), nextAttemptAt(attempts, outcome.afterMs, now, random())),
          giveUpAt,
        });
    }
  }

  private async send(delivery: StatusDelivery, kind: SubscriberKind): Promise<StatusOutcome> {
    const { views, subscribers, links, origin } = this.parts;
    const page = await views.now().get(statusPageView, delivery.pageId);
    if (page === null) return { kind: 'refused', reason: 'the page was deleted' };
    if (page.settings.access === 'members') return { kind: 'refused', reason: 'the page is for members' };
    const { address: recipient, secret } = await subscribers.addressOf(delivery.sealed);
    const address = { slug: page.settings.slug, hosts: page.hosts };
    const leave = `${linkBaseOf(address, origin)}/leave?token=${await links.unsubscribeToken(delivery.subscriberId)}`;
    const outcome = await (kind === 'email'
      ? this.mail(delivery, page, recipient, leave)
      : this.post(delivery, page, { url: recipient, secret: secret ?? '' }, leave));
    if (outcome.kind === 'unsubscribed' || outcome.kind === 'delivered') return outcome;
    return { ...outcome, reason: maskSecrets(outcome.reason, { recipient }) };
  }

  private mail({ id, facts, language: asked }: StatusDelivery, page: StatusPageRow, to: string, leave: string): Promise<StatusOutcome> {
    const language = chooseLanguage(statusPageLanguages, asked, undefined);
    return deliverMail(this.parts.transports, {
      id,
      to,
      ...composeStatusMail(facts, this.shown(page), leave, language),
      unsubscribe: leave,
    });
  }

  private async post(
    { id, facts, madeAt }: StatusDelivery,
    page: StatusPageRow,
    { url, secret }: { readonly url: string; readonly secret: string },
    leave: string,
  ): Promise<StatusOutcome> {
    const { transports } = this.parts;
    const body = webhookNotice(facts, this.shown(page), leave, madeAt.getTime());
    const headers = { 'content-type': 'application/json', ...signed([secret], id, Math.floor(transports.now() / 1_000), body) };
    const reply = await transports.post({ url, body, headers });
    return reply.kind === 'answered' && reply.status === 410 ? { kind: 'unsubscribed' } : outcomeOfReply(reply);
  }

  private shown({ settings: { slug, title }, hosts }: StatusPageRow): { readonly title: string; readonly url: string } {
    return { title, url: pageUrlOf({ slug, hosts }, this.parts.origin) };
  }
}
