import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { pause } from '../../../kernel/abortable.ts';
import { BackOff } from '../../../kernel/back-off.ts';
import { DomainError } from '../../../kernel/errors.ts';
import type { FollowedEvent } from '../event-store.ts';
import type { Connection, Session } from './connection.ts';
import { eventAt, hasMore } from './read-all.ts';
import { BatchReader } from './batch-reader.ts';
import { withTimeout, type KurrentDbTimeouts } from './timeouts.ts';
import { formatPosition, isRealPosition, parsePosition, toFollowedEvent } from './event-mapping.ts';

/** The server lacks the event at a subscription's position: it was restored from a backup or is another server. Continuing would leave a gap. */
export class StoreReplaced extends DomainError {
  readonly code = 'STORE_REPLACED';
}

/** Callbacks of a subscription, for health and metrics. */
export interface SubscriptionObserver {
  onForeign(): void;
  onInterrupted(reason: unknown): void;
}

/** Positions as text, '' before the first: `event` was delivered, and up to `scanned` nothing else is to be delivered. */
interface Progress {
  event: string;
  eventId: string | null;
  scanned: string;
}

export async function* follow(
  connection: Connection,
  timeouts: KurrentDbTimeouts,
  from: string | null,
  signal: AbortSignal,
  watch: SubscriptionObserver,
): AsyncGenerator<readonly FollowedEvent[]> {
  const progress: Progress = { event: from ?? '', eventId: null, scanned: from ?? '' };
  const backOff = new BackOff(50, 1_000);
  while (!signal.aborted) {
    try {
      const session = await withTimeout(timeouts.attemptMs, connection.open());
      await checkIdentity(session, timeouts, progress, signal);
      for await (const batch of subscribe(session, timeouts, progress, signal, watch)) {
        backOff.reset();
        yield batch;
      }
    } catch (error) {
      if (error instanceof StoreReplaced) throw error;
      watch.onInterrupted(error);
    }
    await backOff.wait(signal);
  }
}

/** One catch-up subscription, until it ends, fails, is silent for too long while the server has more, or is aborted. */
async function* subscribe(
  session: Session,
  timeouts: KurrentDbTimeouts,
  progress: Progress,
  signal: AbortSignal,
  watch: SubscriptionObserver,
): AsyncGenerator<readonly FollowedEvent[]> {
  // A checkpoint may be ahead of events in the read buffer: it counts once the buffer is empty.
  let checkpoint = '';
  const filter = session.library.excludeSystemEvents({
    checkpointInterval: 1, // every 32 scanned events
    checkpointReached: (_, position) => {
      // A subscription that starts before the first event reports that start as a checkpoint.
      if (isRealPosition(position)) checkpoint = formatPosition(position);
    },
  });
  const fromPosition = progress.scanned === '' ? ('start' as const) : parsePosition(progress.scanned);
  const subscription = session.client.subscribeToAll({ fromPosition, filter }, { highWaterMark: 512 });
  const reader = new BatchReader<{ event?: AllStreamRecordedEvent }>(subscription);
  const advance = (): void => {
    if (reader.isDrained && checkpoint > progress.scanned) progress.scanned = checkpoint;
  };
  try {
    while (!signal.aborted) {
      const next = await reader.next(timeouts.silenceMs, signal);
      if (next === 'aborted') return;
      if (next === 'end') throw new Error('the subscription ended');
      if (next === 'silence') {
        advance();
        // An event that arrived during the query ends the silence.
        if ((await hasMore(session, timeouts, progress.scanned)) && reader.isDrained)
          throw new Error('the subscription is silent although the server has newer events');
        continue;
      }
      advance();
      const batch = accept(next, progress, watch);
      if (batch.length > 0) yield batch;
    }
  } finally {
    advance();
    void subscription.unsubscribe().catch(() => undefined);
  }
}

function accept(received: readonly { event?: AllStreamRecordedEvent }[], progress: Progress, watch: SubscriptionObserver): FollowedEvent[] {
  const batch: FollowedEvent[] = [];
  for (const { event } of received) {
    if (!event) continue;
    const position = formatPosition(event.position);
    if (position <= progress.event) continue;
    progress.event = position;
    progress.eventId = event.id;
    if (position > progress.scanned) progress.scanned = position;
    const followed = toFollowedEvent(event);
    if (followed) batch.push(followed);
    else watch.onForeign();
  }
  return batch;
}

/** Before each subscription: the server still holds the event at our position. A new leader gets time to index it. */
async function checkIdentity(session: Session, timeouts: KurrentDbTimeouts, progress: Progress, signal: AbortSignal): Promise<void> {
  if (progress.event === '') return;
  const deadline = performance.now() + timeouts.identityMs;
  for (;;) {
    const found = await eventAt(session, timeouts, parsePosition(progress.event));
    if (found !== null && (progress.eventId === null || found.id === progress.eventId)) {
      progress.eventId = found.id;
      return;
    }
    if (signal.aborted) return;
    if (found !== null || performance.now() > deadline)
      throw new StoreReplaced(
        `the event store holds ${found === null ? 'nothing' : `event ${found.id}`} at ${progress.event}, where event ${progress.eventId ?? '(unknown)'} was read`,
      );
    await pause(500, signal);
  }
}
