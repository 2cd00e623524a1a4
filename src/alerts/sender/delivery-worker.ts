import { setTimeout as sleep } from 'node:timers/promises';
import type { Cause, NotificationRecord } from '../notification.commands.ts';
import type { MessageFacts } from '../notification.events.ts';
import { type NotificationChannel, notificationChannels } from '../preferences/preference.settings.ts';
import type { Clock } from '../../kernel/clock.ts';
import { childOf, formatTraceparent, traceOf } from '../../kernel/trace-context.ts';
import { noTracer, traced, type Tracer } from '../../kernel/tracer.ts';
import type { Bell, Wake } from '../../platform/postgres/wake.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { channels } from '../channels/channel-table.ts';
import type { DeliveryOutcome } from '../channels/channel.ts';
import { type Delivery, type DeliveryStore, NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import { type AddressBook, type ChannelAddress, maskedOutcome } from './address-book.ts';
import { mutedUntil } from './delivery-rules.ts';
import type { MessageBundler } from './message-bundler.ts';
import type { MessageSender } from './outgoing-message.ts';
import { extendedDeadline, nextAttemptAt } from '../../platform/outbox/retry-schedule.ts';

export interface DeliveryWorkerParts {
  readonly deliveries: DeliveryStore;
  readonly bundler: MessageBundler;
  readonly senders: { readonly alert: MessageSender; readonly report: MessageSender; readonly notice: MessageSender };
  readonly addresses: AddressBook;
  readonly record: NotificationRecord;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'bell'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
  readonly tracer?: Tracer;
}

const SHORTEST_WAIT_MS = 5;
/** Deliveries of a large batch end close together: one poll then refills all their places. */
const COALESCE_MS = 20;
/** Due messages read per channel; each channel's concurrency limit is lower. */
const PAGE_PER_CHANNEL = 128;
/** How far back the list of deliveries reaches; the log keeps their events for ever. */
const RETENTION_MS = 90 * 86_400_000;
const CLEANUP_INTERVAL_MS = 3_600_000;
/** After a failure on our side, such as an unavailable database. */
const OWN_FAILURE_MS = 5_000;
/** Until the next look at a project whose maintenance windows are parked. */
const PARKED_MS = 10_000;

/**
 * The sending end of the transactional outbox: bundles due intents into messages and delivers each at least once, with retries and back-off,
 * until it is delivered or its deadline passes. Every step is recorded as an event before it is noted in the delivery table.
 */
export class DeliveryWorker {
  private readonly inFlight = new Map<string, { readonly delivery: Delivery; readonly done: Promise<void> }>();

  private cleanedUpAt = 0;
  private polledAt = 0;

  constructor(private readonly parts: DeliveryWorkerParts) {}

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.parts.wake.bell(NOTIFICATIONS);
    try {
      while (!signal.aborted) {
        if ((await this.poll(signal)) === 0) await this.waitForWork(bell, signal);
      }
    } finally {
      bell.close();
      await this.drain();
    }
  }

  /** Until a ring, the next due time, the end of a delivery that makes room, or a poll that finds something in the outbox. */
  private async waitForWork(bell: Bell, signal: AbortSignal): Promise<void> {
    // A signal that aborted during the poll calls no listener.
    if (signal.aborted) return;
    const waiting = new AbortController();
    const stop = (): void => {
      waiting.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const ends = [...this.inFlight.values()].map(({ done }) => done.then(() => 'room' as const));
      let atMostMs = await this.waitMs();
      for (;;) {
        const why = await Promise.race([bell.poll(waiting.signal, atMostMs), ...ends]);
        if (why === 'room') await sleep(COALESCE_MS);
        if (why !== false || signal.aborted || !(await this.parts.bundler.isEmpty())) return;
        await this.cleanUp(this.parts.clock.now());
        atMostMs = Infinity;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      // A wait left behind would consume the next ring.
      waiting.abort();
    }
  }

  /** Starts every due delivery that its channel has room for; answers their number. */
  async poll(signal: AbortSignal): Promise<number> {
    const { bundler, deliveries, clock } = this.parts;
    const now = clock.now();
    this.polledAt = now;
    await this.cleanUp(now);
    await this.postponeMuted(now);
    await bundler.bundle(now);
    const due = await deliveries.due(now, [...this.inFlight.keys()], PAGE_PER_CHANNEL);
    let started = 0;
    for (const delivery of due) {
      if (signal.aborted || !this.hasRoom(delivery)) continue;
      started++;
      const done = this.deliver({ ...delivery, giveUpAt: extendedDeadline(delivery, now) }, signal)
        .catch((error: unknown) => {
          this.parts.report(error);
          const at = clock.now() + OWN_FAILURE_MS;
          return deliveries
            .reschedule(delivery.id, delivery.attempts, 'failed inside Watchledger', { at, giveUpAt: extendedDeadline(delivery, at) })
            .catch(() => undefined);
        })
        .finally(() => {
          this.inFlight.delete(delivery.id);
        });
      this.inFlight.set(delivery.id, { delivery, done });
    }
    return started;
  }

  /** Waits for the deliveries in flight. */
  async drain(): Promise<void> {
    await Promise.all([...this.inFlight.values()].map(({ done }) => done));
  }

  private async waitMs(): Promise<number> {
    const at = await this.parts.bundler.nextAt(this.polledAt);
    return at === null ? Infinity : Math.max(SHORTEST_WAIT_MS, at - this.parts.clock.now());
  }

  /** Concurrency is limited per channel, and to one message at a time per recipient of a channel. */
  private hasRoom({ channel, userId }: Delivery): boolean {
    const ofChannel = [...this.inFlight.values()].map(({ delivery }) => delivery).filter((other) => other.channel === channel);
    const known = channelOf(channel);
    return ofChannel.length < (known === null ? 1 : channels[known].maxConcurrent) && !ofChannel.some((other) => other.userId === userId);
  }

  private async cleanUp(now: number): Promise<void> {
    if (now - this.cleanedUpAt < CLEANUP_INTERVAL_MS) return;
    this.cleanedUpAt = now;
    await this.parts.bundler.deleteFinished(now - RETENTION_MS);
  }

  /** A maintenance window that began while an intent waited mutes it, too. */
  private async postponeMuted(now: number): Promise<void> {
    const { bundler, views } = this.parts;
    for (const projectId of await bundler.dueProjects(now)) {
      const until = await unlessParked(mutedUntil(views.now(), projectId, now));
      if (until !== null) await bundler.postpone(projectId, until === 'parked' ? now + PARKED_MS : until);
    }
  }

  private async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { senders, addresses, record, deliveries, clock } = this.parts;
    const channel = channelOf(delivery.channel);
    const message = channel === null ? null : await senders[senderOf(delivery)].prepare(delivery, channel);
    if (channel === null || message === null)
      return deliveries.markFailed(delivery.id, delivery.attempts, 'the message has no content', clock.now());
    const { requested } = message;
    const { cause, state } = await record.requested(message.cause, requested, clock.now());
    // A crash came between the event and the delivery table.
    if (state.kind === 'delivered')
      return deliveries.markDelivered(delivery.id, delivery.attempts + 1, 'recorded as delivered', clock.now());
    const [refusal, address] = await Promise.all([message.refusal(), addressOf(addresses, delivery, channel)]);
    if (refusal !== null) return this.settle(delivery, requested, cause, { kind: 'refused', reason: refusal });
    if (address.kind === 'none') return this.settle(delivery, requested, cause, { kind: 'refused', reason: address.reason });
    const parent = traceOf(cause.chain);
    const { id, attempts } = delivery;
    const attributes = { 'watchledger.channel': channel, 'watchledger.message.id': id, 'watchledger.attempt': attempts + 1 };
    await traced(this.parts.tracer ?? noTracer, `deliver ${channel}`, { kind: 'producer', parent, attributes }, async (span) => {
      const traceparent = formatTraceparent(span.context ?? childOf(parent));
      const outcome = await message.send({ ...address, traceparent }, () => signal.aborted);
      span.set({ 'watchledger.outcome': outcome.kind });
      if (outcome.kind !== 'abandoned') await this.settle(delivery, requested, cause, maskedOutcome(outcome, address.settings));
    });
  }

  /** The event comes first: after a crash in between, the derived command id makes its repeat a no-op. */
  private async settle(delivery: Delivery, requested: MessageFacts, cause: Cause, outcome: DeliveryOutcome): Promise<void> {
    const { deliveries, record, clock, random } = this.parts;
    const { messageId, userId, channel, kind, status, standing } = requested;
    const facts = { messageId, userId, channel, kind, status, standing };
    const attempts = delivery.attempts + 1;
    const now = clock.now();
    if (outcome.kind === 'delivered') {
      await record.delivered(cause, { ...facts, attempts }, now);
      return deliveries.markDelivered(delivery.id, attempts, outcome.answer, now);
    }
    const { giveUpAt } = delivery;
    if (outcome.kind === 'later' && now < giveUpAt.getTime()) {
      // A Retry-After beyond the deadline still gets one last attempt at the deadline.
      const at = Math.min(giveUpAt.getTime(), nextAttemptAt(attempts, outcome.afterMs, now, random()));
      return deliveries.reschedule(delivery.id, attempts, outcome.reason, { at, giveUpAt });
    }
    const reason = outcome.kind === 'later' ? `tried for 24 hours: ${outcome.reason}` : outcome.reason;
    await record.givenUp(cause, { ...facts, attempts, reason }, now);
    return deliveries.markFailed(delivery.id, attempts, reason, now);
  }
}

const senderOf = ({ kind }: Delivery): keyof DeliveryWorkerParts['senders'] => (kind === 'report' || kind === 'notice' ? kind : 'alert');

/** A notice goes to the address of the account itself: the notification address may be what has changed. */
const addressOf = (addresses: AddressBook, { kind, userId }: Delivery, channel: NotificationChannel): Promise<ChannelAddress> =>
  kind === 'notice' ? addresses.ofAccount(userId) : addresses.find(userId, channel);

const channelOf = (name: string): NotificationChannel | null => notificationChannels.find((channel) => channel === name) ?? null;
