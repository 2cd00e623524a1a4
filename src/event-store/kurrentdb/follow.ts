import type { AllStreamRecordedEvent } from '@eventstore/db-client';
import { DomainError } from '../../kernel/errors.ts';
import type { FollowedEvent } from '../event-store.ts';
import type { Connection, Session } from './connection.ts';
import { eventAt, hasMore } from './head.ts';
import { Intake } from './intake.ts';
import type { Patience } from './options.ts';
import { BackOff, pause, within } from './patience.ts';
import { formatPosition, isPlace, parsePosition } from './positions.ts';
import { toFollowedEvent } from './recorded.ts';

/** The server does not hold the event that a follower stands on: it was restored, or is another one. Going on would leave a hole. */
export class StoreReplaced extends DomainError {
  readonly code = 'STORE_REPLACED';
}

/** What a follower tells of itself, for health and metrics. */
export interface FollowWatch {
  onForeign(): void;
  onInterrupted(reason: unknown): void;
}

/** How far a follower came: `event` was handed out, up to `scanned` there is nothing more for it. Both as text, '' before the first. */
interface Progress {
  event: string;
  eventId: string | null;
  scanned: string;
}

export async function* follow(
  connection: Connection,
  patience: Patience,
  from: string | null,
  signal: AbortSignal,
  watch: FollowWatch,
): AsyncGenerator<readonly FollowedEvent[]> {
  const progress: Progress = { event: from ?? '', eventId: null, scanned: from ?? '' };
  const backOff = new BackOff(50, 1_000);
  while (!signal.aborted) {
    try {
      const session = await within(patience.attemptMs, connection.open());
      await recognise(session, patience, progress, signal);
      for await (const batch of subscribe(session, patience, progress, signal, watch)) {
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

/** One subscription, until it ends, breaks, is silent for too long while the server went on, or is no longer wanted. */
async function* subscribe(
  session: Session,
  patience: Patience,
  progress: Progress,
  signal: AbortSignal,
  watch: FollowWatch,
): AsyncGenerator<readonly FollowedEvent[]> {
  // A checkpoint runs ahead of the events that still lie in the buffer: it counts once that buffer is empty.
  let checkpoint = '';
  const filter = session.library.excludeSystemEvents({
    checkpointInterval: 1, // each 32 events that were looked at
    checkpointReached: (_, position) => {
      // Begun before the first event, a server says that it came to where it began.
      if (isPlace(position)) checkpoint = formatPosition(position);
    },
  });
  const fromPosition = progress.scanned === '' ? ('start' as const) : parsePosition(progress.scanned);
  const subscription = session.client.subscribeToAll({ fromPosition, filter }, { highWaterMark: 512 });
  const intake = new Intake<{ event?: AllStreamRecordedEvent }>(subscription);
  const advance = (): void => {
    if (intake.drained && checkpoint > progress.scanned) progress.scanned = checkpoint;
  };
  try {
    while (!signal.aborted) {
      const taken = await intake.next(patience.silenceMs, signal);
      if (taken === 'aborted') return;
      if (taken === 'end') throw new Error('the subscription ended');
      if (taken === 'silence') {
        advance();
        // What arrived while we asked is no sign of silence.
        if ((await hasMore(session, patience, progress.scanned)) && intake.drained)
          throw new Error('the subscription was silent while the server went on');
        continue;
      }
      advance();
      const batch = accept(taken, progress, watch);
      if (batch.length > 0) yield batch;
    }
  } finally {
    advance();
    void subscription.unsubscribe().catch(() => undefined);
  }
}

function accept(taken: readonly { event?: AllStreamRecordedEvent }[], progress: Progress, watch: FollowWatch): FollowedEvent[] {
  const batch: FollowedEvent[] = [];
  for (const { event } of taken) {
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

/** Before each subscription: the server still holds the very event that we stand on. A server that just became leader gets time to index it. */
async function recognise(session: Session, patience: Patience, progress: Progress, signal: AbortSignal): Promise<void> {
  if (progress.event === '') return;
  const deadline = performance.now() + patience.identityMs;
  for (;;) {
    const there = await eventAt(session, patience, parsePosition(progress.event));
    if (there !== null && (progress.eventId === null || there.id === progress.eventId)) {
      progress.eventId = there.id;
      return;
    }
    if (signal.aborted) return;
    if (there !== null || performance.now() > deadline)
      throw new StoreReplaced(
        `the event store holds ${there === null ? 'nothing' : `event ${there.id}`} at ${progress.event}, where event ${progress.eventId ?? '(unknown)'} was read`,
      );
    await pause(500, signal);
  }
}
