import type { LogEvent } from '../../kernel/event.ts';
import { isInFlight, positionOfState } from './subscription-state.ts';
import type { StoredSubscription } from './subscription-store.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { SubscriptionAnswer } from './subscription.description.ts';

/** `next`: the event after the position; undefined at the end of the log. */
export function presentSubscription(
  { key, settings, state, createdAt, now, parked }: StoredSubscription,
  head: number,
  next: Pick<LogEvent, 'recordedAt'> | undefined,
): SubscriptionAnswer {
  const { filter, partition, maxInFlight, ackSeconds } = settings;
  const position = positionOfState(state);
  const leased = state.open.filter((event) => isInFlight(event, now));
  const inFlight = new Map<string, number>();
  for (const { lease } of leased) if (lease !== null) inFlight.set(lease.consumer, (inFlight.get(lease.consumer) ?? 0) + 1);
  return {
    name: key.name,
    filter: { types: filter.types.length === 0 ? null : [...filter.types], scopes: filter.scopes === null ? null : [...filter.scopes] },
    ...{ partition, maxInFlight, ackSeconds },
    ...{ position: String(position), head: String(head), gap: Math.max(0, head - position) },
    lag: next === undefined ? 0 : Math.max(0, now - Date.parse(next.recordedAt)) / 1_000,
    ...{ inFlight: leased.length, waiting: state.open.length - leased.length, parked },
    consumers: [...state.consumers].map(([name, at]) => ({ name, inFlight: inFlight.get(name) ?? 0, lastReadAt: inUtc(at) })),
    createdAt: inUtc(createdAt.getTime()),
  };
}
