import type { Cause, NotificationRecord } from '../notification.commands.ts';
import type { MessageFacts } from '../notification.events.ts';
import { type NotificationChannel, notificationChannels } from '../preferences/preference.settings.ts';
import type { Clock } from '../../kernel/clock.ts';
import { childOf, formatTraceparent, traceOf } from '../../kernel/trace-context.ts';
import { noTracer, traced, type Tracer } from '../../kernel/tracer.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { channels } from '../channels/channel-table.ts';
import { type Delivery, type DeliveryStore, NOTIFICATIONS } from '../../platform/outbox/delivery-store.ts';
import { type ConcurrencyRule, OutboxRelay, type SendAttempt, type SendOutcome } from '../../platform/outbox/outbox-relay.ts';
import type { DeliveryEnd, OutboxRows } from '../../platform/outbox/outbox-rows.ts';
import { type AddressBook, type ChannelAddress, maskedOutcome } from './address-book.ts';
import { mutedUntil } from './delivery-rules.ts';
import type { MessageBundler } from './message-bundler.ts';
import type { MessageSender } from './outgoing-message.ts';

export interface DeliveryWorkerParts {
  readonly deliveries: Pick<DeliveryStore, 'due'>;
  readonly rows: OutboxRows;
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

/** Due messages read per channel; each channel's concurrency limit is lower. */
const PAGE_PER_CHANNEL = 128;
/** The wait before a project whose maintenance windows are parked is tried again. */
const PARKED_MS = 10_000;

/** Bundles due intents into messages and sends each; every step is recorded as an event before it is noted in the delivery table. */
export class DeliveryWorker {
  /** The relay of the alerts' transactional outbox. */
  readonly relay: OutboxRelay<Delivery>;

  constructor(private readonly parts: DeliveryWorkerParts) {
    const { bundler } = parts;
    this.relay = new OutboxRelay({
      ...parts,
      topic: NOTIFICATIONS,
      due: (now, inFlight) => this.due(now, inFlight),
      nextAt: (after) => bundler.nextAt(after),
      isEmpty: () => bundler.isEmpty(),
      deleteFinished: (before) => bundler.deleteFinished(before),
      send: (delivery, signal) => this.send(delivery, signal),
      ruleOf,
    });
  }

  private async due(now: number, inFlight: readonly string[]): Promise<readonly Delivery[]> {
    await this.postponeMuted(now);
    await this.parts.bundler.bundle(now);
    return this.parts.deliveries.due(now, inFlight, PAGE_PER_CHANNEL);
  }

  /** A maintenance window that began while an intent waited mutes it, too. */
  private async postponeMuted(now: number): Promise<void> {
    const { bundler, views } = this.parts;
    for (const projectId of await bundler.dueProjects(now)) {
      const until = await unlessParked(mutedUntil(views.now(), projectId, now));
      if (until !== null) await bundler.postpone(projectId, until === 'parked' ? now + PARKED_MS : until);
    }
  }

  private async send(delivery: Delivery, signal: AbortSignal): Promise<SendAttempt> {
    const { senders, addresses, record, clock } = this.parts;
    const channel = channelOf(delivery.channel);
    const message = channel === null ? null : await senders[senderOf(delivery)].prepare(delivery, channel);
    if (channel === null || message === null) return { outcome: { kind: 'refused', reason: 'the message has no content' } };
    const { cause, state } = await record.requested(message.cause, message.requested, clock.now());
    // A crash came between the event and the delivery table.
    if (state.kind === 'delivered') return { outcome: { kind: 'delivered', answer: 'recorded as delivered' } };
    const settled = (outcome: SendOutcome): SendAttempt => ({ outcome, record: (end) => this.recordEnd(message.requested, cause, end) });
    const [refusal, address] = await Promise.all([message.refusal(), addressOf(addresses, delivery, channel)]);
    if (refusal !== null) return settled({ kind: 'refused', reason: refusal });
    if (address.kind === 'none') return settled({ kind: 'refused', reason: address.reason });
    const parent = traceOf(cause.chain);
    const { id, attempts } = delivery;
    const attributes = { 'watchledger.channel': channel, 'watchledger.message.id': id, 'watchledger.attempt': attempts + 1 };
    return traced(this.parts.tracer ?? noTracer, `deliver ${channel}`, { kind: 'producer', parent, attributes }, async (span) => {
      const traceparent = formatTraceparent(span.context ?? childOf(parent));
      const outcome = await message.send({ ...address, traceparent }, () => signal.aborted);
      span.set({ 'watchledger.outcome': outcome.kind });
      return settled(outcome.kind === 'abandoned' ? outcome : maskedOutcome(outcome, address.settings));
    });
  }

  private async recordEnd(requested: MessageFacts, cause: Cause, { state, attempts, answer, at }: DeliveryEnd): Promise<void> {
    const { record } = this.parts;
    const { messageId, userId, channel, kind, status, standing } = requested;
    const facts = { messageId, userId, channel, kind, status, standing, attempts };
    await (state === 'delivered' ? record.delivered(cause, facts, at) : record.givenUp(cause, { ...facts, reason: answer }, at));
  }
}

function ruleOf({ channel: name, userId: recipient }: Delivery): ConcurrencyRule {
  const channel = channelOf(name);
  return { channel: name, maxConcurrent: channel === null ? 1 : channels[channel].maxConcurrent, recipient };
}

const senderOf = ({ kind }: Delivery): keyof DeliveryWorkerParts['senders'] => (kind === 'report' || kind === 'notice' ? kind : 'alert');

/** A notice goes to the address of the account itself: the notification address may be what has changed. */
const addressOf = (addresses: AddressBook, { kind, userId }: Delivery, channel: NotificationChannel): Promise<ChannelAddress> =>
  kind === 'notice' ? addresses.ofAccount(userId) : addresses.find(userId, channel);

const channelOf = (name: string): NotificationChannel | null => notificationChannels.find((channel) => channel === name) ?? null;
