import { setTimeout as sleep } from 'node:timers/promises';
import { type Delivery, type DeliveryStore, NOTIFICATIONS } from '../outbox/delivery-store.ts';
import type { Cause, NotificationRecord } from '../../commands/notification/record-notification.ts';
import type { MessageFacts } from '../../domain/notification/notification.events.ts';
import { type NotificationChannel, notificationChannels } from '../../domain/preference/settings.ts';
import type { Bell, Wake } from '../../persistence/wake.ts';
import type { Clock } from '../../kernel/clock.ts';
import { unlessParked, type ViewsAt } from '../../projections/views/views.ts';
import { channels } from '../channels/channel-table.ts';
import type { DeliveryOutcome } from '../channels/channel.ts';
import { quietUntil } from '../../processes/notifications/audience.ts';
import { type AddressBook, shownOutcome } from './address-book.ts';
import type { Bundling } from './bundling.ts';
import type { Courier } from './courier.ts';
import { endOfTries, nextTry } from './retry-plan.ts';

export interface SenderParts {
  readonly deliveries: DeliveryStore;
  readonly bundling: Bundling;
  readonly couriers: { readonly alert: Courier; readonly report: Courier };
  readonly addresses: AddressBook;
  readonly record: NotificationRecord;
  readonly views: ViewsAt;
  readonly wake: Pick<Wake, 'bell'>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/** With nothing to do it looks this rarely; a ring wakes it. */
const IDLE_MS = 5_000;
const SOON_MS = 5;
const ENDS_MS = 20;
/** Of each channel, so many are looked at: its own limit lies below. */
const LOOKED_AT = 128;
/** How long the list of deliveries reaches back; the log keeps their story for ever. */
const KEPT_MS = 90 * 86_400_000;
const TIDY_EVERY_MS = 3_600_000;
/** After an error of our own, such as a database that is away. */
const OWN_TROUBLE_MS = 5_000;
/** Whether it is in maintenance cannot be read: an operator has to look at it, and all others are told. */
const PARKED_MS = 10_000;

/** Carries messages to their recipients: asked for, tried until delivered or given up, each step an event before it is noted here. */
export class Sender {
  private readonly busy = new Map<string, { readonly delivery: Delivery; readonly done: Promise<void> }>();

  private tidiedAt = 0;
  private lookedAt = 0;

  constructor(private readonly parts: SenderParts) {}

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.parts.wake.bell(NOTIFICATIONS);
    try {
      while (!signal.aborted) {
        if ((await this.turn(signal)) === 0) await this.rest(bell, signal);
      }
    } finally {
      bell.close();
      await Promise.all([...this.busy.values()].map(({ done }) => done));
    }
  }

  /** Until a ring, or until there is room for more: of a thousand messages dozens end together, and one look serves them all. */
  private async rest(bell: Bell, signal: AbortSignal): Promise<void> {
    const resting = new AbortController();
    const stop = (): void => {
      resting.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const ends = [...this.busy.values()].map(({ done }) => done.then(() => 'room' as const));
      const why = await Promise.race([bell.wait(await this.pause(), resting.signal), ...ends]);
      if (why === 'room') await sleep(ENDS_MS);
    } finally {
      signal.removeEventListener('abort', stop);
      // A wait that was left behind would hear the next ring in place of the one that listens then.
      resting.abort();
    }
  }

  /** Bundles what is due and begins what there is room for; answers how many were begun. */
  async turn(signal: AbortSignal): Promise<number> {
    const { bundling, deliveries, clock } = this.parts;
    const now = clock.now();
    this.lookedAt = now;
    await this.tidy(now);
    await this.keepQuiet(now);
    await bundling.bundle(now);
    const due = await deliveries.due(now, [...this.busy.keys()], LOOKED_AT);
    let begun = 0;
    for (const delivery of due) {
      if (signal.aborted || !this.hasRoom(delivery)) continue;
      begun++;
      const done = this.deliver({ ...delivery, giveUpAt: endOfTries(delivery, now) }, signal)
        .catch((error: unknown) => {
          this.parts.report(error);
          const at = clock.now() + OWN_TROUBLE_MS;
          return deliveries
            .again(delivery.id, delivery.attempts, 'trouble of our own', { at, giveUpAt: endOfTries(delivery, at) })
            .catch(() => undefined);
        })
        .finally(() => {
          this.busy.delete(delivery.id);
        });
      this.busy.set(delivery.id, { delivery, done });
    }
    return begun;
  }

  /** Waits for what is under way. */
  async settle(): Promise<void> {
    await Promise.all([...this.busy.values()].map(({ done }) => done));
  }

  private async pause(): Promise<number> {
    const at = await this.parts.bundling.nextAt(this.lookedAt);
    return at === null ? IDLE_MS : Math.min(IDLE_MS, Math.max(SOON_MS, at - this.parts.clock.now()));
  }

  /** A channel has its limit, and a recipient on it gets one message at a time. */
  private hasRoom({ channel, userId }: Delivery): boolean {
    const under = [...this.busy.values()].map(({ delivery }) => delivery).filter((other) => other.channel === channel);
    const known = channelOf(channel);
    return under.length < (known === null ? 1 : channels[known].parallel) && !under.some((other) => other.userId === userId);
  }

  private async tidy(now: number): Promise<void> {
    if (now - this.tidiedAt < TIDY_EVERY_MS) return;
    this.tidiedAt = now;
    await this.parts.bundling.forget(now - KEPT_MS);
  }

  /** Maintenance that began while a message waited silences it too. */
  private async keepQuiet(now: number): Promise<void> {
    const { bundling, views } = this.parts;
    for (const projectId of await bundling.dueProjects(now)) {
      const until = await unlessParked(quietUntil(views.now(), projectId, now));
      if (until !== null) await bundling.postpone(projectId, until === 'parked' ? now + PARKED_MS : until);
    }
  }

  private async deliver(delivery: Delivery, signal: AbortSignal): Promise<void> {
    const { couriers, addresses, record, deliveries, clock } = this.parts;
    const channel = channelOf(delivery.channel);
    const parcel = channel === null ? null : await couriers[delivery.kind === 'report' ? 'report' : 'alert'].parcel(delivery, channel);
    if (channel === null || parcel === null) return deliveries.failed(delivery.id, delivery.attempts, 'nothing to tell', clock.now());
    const { requested } = parcel;
    const { cause, state } = await record.requested(parcel.cause, requested, clock.now());
    // Whoever was here before died between the event and the note.
    if (state.kind === 'delivered') return deliveries.delivered(delivery.id, delivery.attempts + 1, 'recorded as delivered', clock.now());
    const [refusal, address] = await Promise.all([parcel.refusal(), addresses.find(delivery.userId, channel)]);
    if (refusal !== null) return this.settleAs(delivery, requested, cause, { kind: 'refused', reason: refusal });
    if (address.kind === 'none') return this.settleAs(delivery, requested, cause, { kind: 'refused', reason: address.reason });
    const outcome = await parcel.carry(address, () => signal.aborted);
    if (outcome.kind === 'abandoned') return;
    return this.settleAs(delivery, requested, cause, shownOutcome(outcome, address.settings));
  }

  /** The event first: who dies before it is noted here finds it again, and the derived id lets nothing be written twice. */
  private async settleAs(delivery: Delivery, requested: MessageFacts, cause: Cause, outcome: DeliveryOutcome): Promise<void> {
    const { deliveries, record, clock, random } = this.parts;
    const { messageId, userId, channel, kind, status, standing } = requested;
    const facts = { messageId, userId, channel, kind, status, standing };
    const attempts = delivery.attempts + 1;
    const now = clock.now();
    if (outcome.kind === 'delivered') {
      await record.delivered(cause, { ...facts, attempts }, now);
      return deliveries.delivered(delivery.id, attempts, outcome.answer, now);
    }
    const { giveUpAt } = delivery;
    if (outcome.kind === 'later' && now < giveUpAt.getTime()) {
      // However late it is asked to come back: the last try ends the day.
      const at = Math.min(giveUpAt.getTime(), nextTry(attempts, outcome.afterMs, now, random()));
      return deliveries.again(delivery.id, attempts, outcome.reason, { at, giveUpAt });
    }
    const reason = outcome.kind === 'later' ? `tried for 24 hours: ${outcome.reason}` : outcome.reason;
    await record.givenUp(cause, { ...facts, attempts, reason }, now);
    return deliveries.failed(delivery.id, attempts, reason, now);
  }
}

const channelOf = (name: string): NotificationChannel | null => notificationChannels.find((channel) => channel === name) ?? null;
