import type { LogEvent } from '../../kernel/event.ts';
import type { PartitionBy, SubscriptionSettings } from './subscription.ts';
import { backOffOf } from '../../kernel/back-off.ts';

/** A delivery that was not acknowledged yet. */
export interface DeliveryLease {
  /** Fencing token: grows with every delivery. */
  readonly token: number;
  readonly consumer: string;
  /** Epoch milliseconds; from then on the event may be delivered again. */
  readonly until: number;
}

/** An event that fits the filter and was found, but not acknowledged. */
export interface OpenEvent {
  readonly n: number;
  /** Null when it belongs to none. */
  readonly partition: string | null;
  /** Deliveries so far. */
  readonly attempts: number;
  /** Null when it is not delivered, or was given back. */
  readonly lease: DeliveryLease | null;
  /** Epoch milliseconds before which it is not delivered again. */
  readonly notBefore: number;
  /** It was parked: the position is beyond it. */
  readonly isReplayed: boolean;
}

/** What a subscription remembers. Times are those of the database, so that instances agree. */
export interface SubscriptionState {
  /** Every event up to here that fits is either open or done. */
  readonly searched: number;
  readonly lastToken: number;
  /** In the order of the log. */
  readonly open: readonly OpenEvent[];
  /** When each consumer last asked for events. */
  readonly consumers: ReadonlyMap<string, number>;
}

export interface EventDelivery {
  readonly n: number;
  readonly token: number;
  /** From 1. */
  readonly attempt: number;
  readonly until: number;
}

const FIRST_RETRY_MS = 1_000;
/** Consumers that were silent for longer are not shown any more. */
const FORGET_CONSUMER_MS = 600_000;
const MOST_CONSUMERS = 100;

export const stateFrom = (position: number): SubscriptionState => ({
  searched: position,
  lastToken: 0,
  open: [],
  consumers: new Map(),
});

/** Everything up to it that fits is done, or parked. */
export function positionOfState({ searched, open }: SubscriptionState): number {
  const first = open.find(({ isReplayed }) => !isReplayed);
  return first === undefined ? searched : first.n - 1;
}

export const isInFlight = ({ lease }: OpenEvent, now: number): boolean => lease !== null && lease.until > now;

export const inFlightOf = ({ open }: Pick<SubscriptionState, 'open'>, now: number): number =>
  open.filter((event) => isInFlight(event, now)).length;

/** Which events can be delivered now: of each partition the first, if none of it is in flight. */
export function deliverable(
  { open }: SubscriptionState,
  { maxInFlight }: Pick<SubscriptionSettings, 'maxInFlight'>,
  { now, limit }: { readonly now: number; readonly limit: number },
): readonly OpenEvent[] {
  const busy = new Set<string>();
  let inFlight = 0;
  for (const event of open) {
    if (!isInFlight(event, now)) continue;
    inFlight++;
    if (event.partition !== null) busy.add(event.partition);
  }
  const room = Math.min(limit, maxInFlight - inFlight);
  const found: OpenEvent[] = [];
  for (const event of open) {
    if (found.length >= room) break;
    const { partition } = event;
    if (isInFlight(event, now) || (partition !== null && busy.has(partition))) continue;
    if (partition !== null) busy.add(partition);
    if (event.notBefore <= now) found.push(event);
  }
  return found;
}

/** When something that is open may become deliverable by itself; null: only by an acknowledgement or a new event. */
export function nextDueAt({ open }: SubscriptionState, now: number): number | null {
  let first = Infinity;
  for (const { lease, notBefore } of open) {
    const at = Math.max(lease?.until ?? 0, notBefore);
    if (at > now && at < first) first = at;
  }
  return first === Infinity ? null : first;
}

export const partitionOf = (by: PartitionBy, { scope, stream }: Pick<LogEvent, 'scope' | 'stream'>): string | null =>
  by === 'project' ? scope : by === 'stream' ? stream : null;

/** After a search up to `searched`, which found these. Replayed ones may be among them. */
export function withFound(state: SubscriptionState, events: readonly LogEvent[], searched: number, by: PartitionBy): SubscriptionState {
  const known = new Set(state.open.filter(({ isReplayed }) => isReplayed).map(({ n }) => n));
  const found = events.filter(({ n }) => !known.has(n)).map((event) => waiting(event.n, partitionOf(by, event)));
  return { ...state, searched, open: inOrder([...state.open, ...found], known.size > 0) };
}

const waiting = (n: number, partition: string | null): OpenEvent => ({
  n,
  partition,
  attempts: 0,
  lease: null,
  notBefore: 0,
  isReplayed: false,
});

const inOrder = (open: readonly OpenEvent[], isMixed: boolean): readonly OpenEvent[] =>
  isMixed ? open.toSorted((left, right) => left.n - right.n) : open;

/** Leases these events to a consumer. A token is at least the time in microseconds, so that tokens also grow over a restore and a new beginning. */
export function leaseTo(
  state: SubscriptionState,
  chosen: ReadonlySet<number>,
  { consumer, now, until }: { readonly consumer: string; readonly now: number; readonly until: number },
): { readonly state: SubscriptionState; readonly deliveries: readonly EventDelivery[] } {
  let lastToken = Math.max(state.lastToken, now * 1_000);
  const deliveries: EventDelivery[] = [];
  const open = state.open.map((event) => {
    if (!chosen.has(event.n)) return event;
    const [token, attempts] = [++lastToken, event.attempts + 1];
    deliveries.push({ n: event.n, token, attempt: attempts, until });
    return { ...event, attempts, notBefore: 0, lease: { token, consumer, until } };
  });
  return { state: deliveries.length === 0 ? state : { ...state, lastToken, open }, deliveries };
}

export interface Taken {
  readonly state: SubscriptionState;
  /** Events that had one of the tokens. */
  readonly taken: readonly OpenEvent[];
  /** Tokens under which nothing is in flight: acknowledged before, taken over by another consumer, reset, or never handed out. */
  readonly stale: readonly number[];
}

/** Removes what is leased under these tokens, also after the lease, as long as it was not delivered again. */
export function take(state: SubscriptionState, tokens: readonly number[]): Taken {
  const asked = new Set(tokens);
  const taken = state.open.filter(({ lease }) => lease !== null && asked.has(lease.token));
  if (taken.length === 0) return { state, taken, stale: [...asked] };
  for (const { lease } of taken) if (lease !== null) asked.delete(lease.token);
  const removed = new Set(taken);
  return { state: { ...state, open: state.open.filter((event) => !removed.has(event)) }, taken, stale: [...asked] };
}

/** Gives events back that were taken, to be delivered again after a pause that doubles up to the length of a lease. */
export function giveBack(
  state: SubscriptionState,
  taken: readonly OpenEvent[],
  { now, mostMs }: { now: number; mostMs: number },
): SubscriptionState {
  const back = taken.map((event) => {
    const notBefore = now + backOffOf(event.attempts, { firstMs: FIRST_RETRY_MS, mostMs });
    return { ...event, lease: null, notBefore };
  });
  return { ...state, open: inOrder([...state.open, ...back], true) };
}

/** Removes events that must not be delivered, or cannot be. */
export const without = (state: SubscriptionState, dropped: ReadonlySet<number>): SubscriptionState =>
  dropped.size === 0 ? state : { ...state, open: state.open.filter(({ n }) => !dropped.has(n)) };

/** Parked events wait to be delivered again. */
export function withReplayed(state: SubscriptionState, events: readonly LogEvent[], by: PartitionBy): SubscriptionState {
  const replayed = events.map((event) => ({ ...waiting(event.n, partitionOf(by, event)), isReplayed: true }));
  return { ...state, open: inOrder([...state.open, ...replayed], true) };
}

/** Continues after another position; all tokens become stale. `kept`: replayed events, which no search finds again. */
export const movedTo = (state: SubscriptionState, position: number, kept: readonly LogEvent[], by: PartitionBy): SubscriptionState =>
  withReplayed({ ...state, searched: position, open: [] }, kept, by);

/** After the clock of the database was set back by so many milliseconds: leases and pauses would last as much longer. */
export function afterClockStep(state: SubscriptionState, byMs: number): SubscriptionState {
  const open = state.open.map((event) => ({
    ...event,
    notBefore: Math.max(0, event.notBefore - byMs),
    lease: event.lease && { ...event.lease, until: event.lease.until - byMs },
  }));
  return { ...state, open, consumers: new Map([...state.consumers].map(([name, at]) => [name, at - byMs])) };
}

/** Notes that a consumer asks for events. */
export function seen(state: SubscriptionState, consumer: string, now: number): SubscriptionState {
  const busy = new Set<string>();
  for (const { lease } of state.open) if (lease !== null) busy.add(lease.consumer);
  const known = [...state.consumers].filter(([name, at]) => name !== consumer && (busy.has(name) || now - at < FORGET_CONSUMER_MS));
  const latest = known.toSorted(([, left], [, right]) => right - left).slice(0, MOST_CONSUMERS - 1);
  return { ...state, consumers: new Map([...latest, [consumer, now]]) };
}
