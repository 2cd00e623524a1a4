import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import type { LogSearcher } from '../../platform/log/search.ts';
import { SubscriptionBeyondLog } from './refusals.ts';
import { deliverable, inFlightOf, type SubscriptionState, withFound, without } from './subscription-state.ts';
import type { StoredSubscription } from './subscription-store.ts';

export interface LogAccess {
  readonly log: Pick<Log, 'head'>;
  readonly searcher: Pick<LogSearcher, 'find'>;
  /** The events at these positions, as far as the log has them. */
  readonly eventsAt: (positions: readonly number[]) => Promise<readonly LogEvent[]>;
}

/** Positions of the log that one query searches. */
const RANGE = 20_000;
/** A request that finds nothing keeps searching for this long; what was searched is stored, and the next request continues there. */
const SEARCH_MS = 200;
/** Open events beyond those in flight, so that other partitions are delivered while the first ones are busy. */
const LOOKAHEAD = 1_000;

export interface FoundDeliveries {
  /** The state after the search, without the events that were dropped. */
  readonly state: SubscriptionState;
  /** The found events in the order of the log. */
  readonly events: readonly LogEvent[];
  readonly head: number;
  /** More of the log can be searched at once. */
  readonly canContinue: boolean;
}

/** Finds the next events that can be delivered: those that wait, then further ones of the log. `scopes`: what the reader may read now; null: everything. */
export async function findDeliveries(
  { log, searcher, eventsAt }: LogAccess,
  { state: before, settings, now }: StoredSubscription,
  { limit, scopes }: { readonly limit: number; readonly scopes: readonly string[] | null },
): Promise<FoundDeliveries> {
  const head = await log.head();
  if (before.searched > head) throw new SubscriptionBeyondLog(before.searched, head);
  const fresh = new Map<number, LogEvent>();
  const choice = { now, limit };
  let state = before;
  let chosen = deliverable(state, settings, choice);
  const hasRoom = (): boolean => state.searched < head && state.open.length < settings.maxInFlight + LOOKAHEAD;
  const isFull = inFlightOf(state, now) >= settings.maxInFlight;
  const began = performance.now();
  while (!isFull && chosen.length < limit && hasRoom()) {
    const most = Math.min(limit, settings.maxInFlight + LOOKAHEAD - state.open.length);
    const end = Math.min(head, state.searched + RANGE);
    const found = await searcher.find({
      after: state.searched,
      before: end + 1,
      scopes,
      types: settings.filter.types,
      limit: most,
      stream: null,
      actors: [],
      direction: 'asc',
    });
    for (const event of found) fresh.set(event.n, event);
    state = withFound(state, found, found.length < most ? end : (found.at(-1)?.n ?? end), settings.partition);
    chosen = deliverable(state, settings, choice);
    if (chosen.length > 0 || performance.now() - began > SEARCH_MS) break;
  }
  const stored = await eventsAt(chosen.filter(({ n }) => !fresh.has(n)).map(({ n }) => n));
  for (const event of stored) fresh.set(event.n, event);
  const readable = scopes === null ? null : new Set(scopes);
  const events = chosen.flatMap(({ n }) => {
    const event = fresh.get(n);
    return event === undefined || readable?.has(event.scope) === false ? [] : [event];
  });
  const kept = new Set(events.map(({ n }) => n));
  const dropped = new Set(chosen.flatMap(({ n }) => (kept.has(n) ? [] : [n])));
  state = without(state, dropped);
  return { state, events, head, canContinue: events.length === 0 && (dropped.size > 0 || (!isFull && hasRoom())) };
}
