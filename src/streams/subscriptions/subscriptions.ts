import { pause } from '../../kernel/abortable.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { KeyedMutex } from '../../kernel/keyed-mutex.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { findDeliveries, type LogAccess } from './delivery-search.ts';
import { SubscriptionBusy, SubscriptionNotFound, TooManyParkedEvents, TooManySubscriptions } from './refusals.ts';
import { SubscriptionChanges } from './subscription-changes.ts';
import { keyText, type SubscriptionKey, type SubscriptionSettings } from './subscription.ts';
import * as states from './subscription-state.ts';
import type { StoredParkedEvent, StoredSubscription, SubscriptionChange, SubscriptionStore } from './subscription-store.ts';

/** Port: counts what happens to deliveries, for the operator. */
export interface SubscriptionMeter {
  deliveries(outcome: SubscriptionOutcome, times: number): void;
}

export const SUBSCRIPTION_OUTCOMES = ['delivered', 'redelivered', 'acknowledged', 'stale', 'retried', 'parked', 'replayed'] as const;
export type SubscriptionOutcome = (typeof SUBSCRIPTION_OUTCOMES)[number];

export interface SubscriptionLimits {
  readonly maxSubscriptions: number;
  readonly maxParkedEvents: number;
}

export interface SubscriptionReadOrder {
  readonly consumer: string;
  readonly limit: number;
  /** What the reader may read now; null: everything. */
  readonly scopes: readonly string[] | null;
}

export interface SubscriptionPage {
  readonly deliveries: readonly (states.EventDelivery & { readonly event: LogEvent })[];
  readonly position: number;
  readonly searched: number;
  readonly head: number;
  readonly canContinue: boolean;
  /** Whether further events of the log could be delivered, if they come. */
  readonly isWaiting: boolean;
  /** Milliseconds until something that is open may become deliverable by itself; null: nothing will. */
  readonly dueInMs: number | null;
}

export type Nack = { readonly action: 'retry' } | { readonly action: 'park'; readonly reason: string };

interface Step<Result> {
  /** Null when nothing is stored. */
  readonly change: SubscriptionChange | null;
  readonly result: Result;
}

const MOST_TRIES = 20;
const CONFLICT_PAUSE_MS = 10;
/** What only saves a later search is stored after this many positions, or with the next sign of life of a consumer. */
const SEARCHED_STEP = 1_000;
const SEEN_MS = 30_000;

/**
 * Competing consumers of the log. A change reads one row, decides in memory, and writes the row back if no other instance was faster (optimistic
 * concurrency); requests of this process for one subscription queue up before they take a connection.
 */
export class Subscriptions {
  private readonly mutex = new KeyedMutex();
  private readonly changes: SubscriptionChanges;

  constructor(
    private readonly store: SubscriptionStore,
    private readonly access: LogAccess,
    private readonly limits: SubscriptionLimits,
    private readonly meter: SubscriptionMeter,
    wake: Pick<Wake, 'ring' | 'bell'>,
  ) {
    this.changes = new SubscriptionChanges(wake);
  }

  async get(key: SubscriptionKey): Promise<StoredSubscription> {
    const found = await this.store.read(key);
    if (found === null) throw new SubscriptionNotFound(key.name);
    return found;
  }

  find(key: SubscriptionKey): Promise<StoredSubscription | null> {
    return this.store.read(key);
  }

  list(userId: number): Promise<readonly StoredSubscription[]> {
    return this.store.list(userId);
  }

  /** `from`: the position after which a new one begins; `projectId`: that of a service account. */
  async put(
    key: SubscriptionKey,
    settings: SubscriptionSettings,
    from: number,
    projectId: string | null = null,
  ): Promise<'created' | 'changed'> {
    const made = await this.store.create(key, { settings, state: states.stateFrom(from), projectId }, this.limits.maxSubscriptions);
    if (made === 'created') return 'created';
    if (made === 'too many' && (await this.store.read(key)) === null) throw new TooManySubscriptions(this.limits.maxSubscriptions);
    await this.change(key, async ({ state, settings: before }) => {
      const isSame = JSON.stringify([before.filter, before.partition]) === JSON.stringify([settings.filter, settings.partition]);
      if (isSame) return { change: { state, settings }, result: undefined };
      // What was found by the other filter is searched again.
      const position = states.positionOfState(state);
      return { change: { state: await this.movedTo(state, position, settings), settings, unparkAfter: position }, result: undefined };
    });
    this.changes.notifyEverywhere(key);
    return 'changed';
  }

  async delete(key: SubscriptionKey): Promise<void> {
    if (!(await this.store.delete(key))) throw new SubscriptionNotFound(key.name);
    this.changes.notifyEverywhere(key);
  }

  async read(key: SubscriptionKey, order: SubscriptionReadOrder): Promise<SubscriptionPage> {
    const page = await this.change(key, async (found) => {
      const stored = withClockStep(found);
      const { settings, now, state: before } = stored;
      const { state: searched, events, head, canContinue } = await findDeliveries(this.access, stored, order);
      const lease = { consumer: order.consumer, now, until: now + settings.ackSeconds * 1_000 };
      const { state: after, deliveries } = states.leaseTo(searched, new Set(events.map(({ n }) => n)), lease);
      const byPosition = new Map(events.map((event) => [event.n, event]));
      const result: SubscriptionPage = {
        deliveries: deliveries.flatMap((delivery) => {
          const event = byPosition.get(delivery.n);
          return event === undefined ? [] : [{ ...delivery, event }];
        }),
        position: states.positionOfState(after),
        searched: after.searched,
        head,
        canContinue,
        isWaiting: after.searched === head && states.inFlightOf(after, now) < settings.maxInFlight,
        dueInMs: dueInMs(after, now),
      };
      const lastSeen = before.consumers.get(order.consumer) ?? 0;
      const isChanged =
        stored !== found ||
        deliveries.length > 0 ||
        after.open.length !== before.open.length ||
        after.searched - before.searched >= SEARCHED_STEP ||
        now - lastSeen >= SEEN_MS;
      return { change: isChanged ? { state: states.seen(after, order.consumer, now) } : null, result };
    });
    const again = page.deliveries.filter(({ attempt }) => attempt > 1).length;
    this.meter.deliveries('delivered', page.deliveries.length - again);
    this.meter.deliveries('redelivered', again);
    return page;
  }

  /** Answers the tokens under which nothing was in flight. */
  async acknowledge(
    key: SubscriptionKey,
    tokens: readonly number[],
  ): Promise<{ readonly done: number; readonly stale: readonly number[] }> {
    const { taken, stale } = await this.change(key, ({ state }) => {
      const result = states.take(state, tokens);
      return Promise.resolve({ change: result.taken.length === 0 ? null : { state: result.state }, result });
    });
    this.meter.deliveries('acknowledged', taken.length);
    this.meter.deliveries('stale', stale.length);
    if (taken.length > 0) this.changes.notify(key);
    return { done: taken.length, stale };
  }

  async refuse(
    key: SubscriptionKey,
    tokens: readonly number[],
    nack: Nack,
  ): Promise<{ readonly done: number; readonly stale: readonly number[] }> {
    const { taken, stale } = await this.change(key, ({ state, settings, now, parked }) => {
      const result = states.take(state, tokens);
      const { taken: refused } = result;
      if (refused.length === 0) return Promise.resolve({ change: null, result });
      if (nack.action === 'retry') {
        const mostMs = settings.ackSeconds * 1_000;
        return Promise.resolve({ change: { state: states.giveBack(result.state, refused, { now, mostMs }) }, result });
      }
      const { maxParkedEvents } = this.limits;
      if (parked + refused.length > maxParkedEvents) throw new TooManyParkedEvents(maxParkedEvents);
      const park = refused.map(({ n, attempts, lease }) => ({ n, attempts, consumer: lease?.consumer ?? '', reason: nack.reason }));
      return Promise.resolve({ change: { state: result.state, park }, result });
    });
    this.meter.deliveries(nack.action === 'park' ? 'parked' : 'retried', taken.length);
    this.meter.deliveries('stale', stale.length);
    if (taken.length > 0) this.changes.notify(key);
    return { done: taken.length, stale };
  }

  /** Events that were parked after the position are delivered with the others again. */
  async reset(key: SubscriptionKey, position: number): Promise<void> {
    await this.change(key, async ({ state, settings }) => {
      return { change: { state: await this.movedTo(state, position, settings), unparkAfter: position }, result: undefined };
    });
    this.changes.notifyEverywhere(key);
  }

  /** The events at these positions, as far as the log has them. */
  eventsAt(positions: readonly number[]): Promise<readonly LogEvent[]> {
    return this.access.eventsAt(positions);
  }

  parked(key: SubscriptionKey): Promise<readonly StoredParkedEvent[]> {
    return this.store.parked(key);
  }

  /** Delivers parked events again, all of them or those at these positions; answers how many there were. */
  async replay(key: SubscriptionKey, positions: readonly number[] | null): Promise<number> {
    const replayed = await this.change(key, async ({ state, settings }) => {
      const parked = (await this.store.parked(key)).map(({ n }) => n);
      const unpark = positions === null ? parked : parked.filter((n) => positions.includes(n));
      if (unpark.length === 0) return { change: null, result: 0 };
      const events = await this.access.eventsAt(unpark);
      return { change: { state: states.withReplayed(state, events, settings.partition), unpark }, result: unpark.length };
    });
    this.meter.deliveries('replayed', replayed);
    if (replayed > 0) this.changes.notifyEverywhere(key);
    return replayed;
  }

  /** Discards a parked event; false: it is not parked. */
  discard(key: SubscriptionKey, position: number): Promise<boolean> {
    return this.change(key, async ({ state }) => {
      const isParked = (await this.store.parked(key)).some(({ n }) => n === position);
      return { change: isParked ? { state, unpark: [position] } : null, result: isParked };
    });
  }

  /** Calls back when something may have become deliverable; answers how to end that. */
  onChange(key: SubscriptionKey, listener: () => void): () => void {
    return this.changes.listen(key, listener);
  }

  private async movedTo(
    state: states.SubscriptionState,
    position: number,
    { partition }: SubscriptionSettings,
  ): Promise<states.SubscriptionState> {
    const replayed = state.open.filter(({ n, isReplayed }) => isReplayed && n <= position).map(({ n }) => n);
    return states.movedTo(state, position, await this.access.eventsAt(replayed), partition);
  }

  private change<Result>(key: SubscriptionKey, step: (stored: StoredSubscription) => Promise<Step<Result>>): Promise<Result> {
    return this.mutex.runExclusive(keyText(key), async () => {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        if (tries > 0) await pause(CONFLICT_PAUSE_MS * Math.random() * tries, NEVER);
        const stored = await this.get(key);
        const { change, result } = await step(stored);
        if (change === null || (await this.store.save(stored, change))) return result;
      }
      throw new SubscriptionBusy(key.name);
    });
  }
}

/** A clock of the database that was set back since the last change. */
function withClockStep(stored: StoredSubscription): StoredSubscription {
  const byMs = stored.savedAt - stored.now;
  return byMs <= 0 ? stored : { ...stored, state: states.afterClockStep(stored.state, byMs) };
}

const NEVER = new AbortController().signal;

function dueInMs(state: states.SubscriptionState, now: number): number | null {
  const dueAt = states.nextDueAt(state, now);
  return dueAt === null ? null : dueAt - now;
}
