import { upcast } from '../../events.ts';
import type { EventStore, ExpectedRevision } from '../event-store/event-store.ts';
import type { StreamTarget } from '../../kernel/decider.ts';
import type { EventBody, StreamEvent } from '../../kernel/event.ts';
import { revisionNumber } from './new-events.ts';

/** A stream folded up to a revision, and the id of the event there: a failover may replace that event by another. */
export interface FoldedStream<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
  readonly lastEventId: string | null;
  /** Present in a snapshot: whether the event there still has the content that was folded. */
  readonly standsOn?: (event: StreamEvent) => boolean;
}

export interface LoadedStream<State> extends FoldedStream<State> {
  /** The last event that was read beyond the known ones. */
  readonly lastRead: StreamEvent | null;
}

export interface FoldOptions {
  readonly limit?: number;
}

export const beginningOf = <State>({ decider }: { readonly decider: { readonly initial: State } }): FoldedStream<State> => ({
  state: decider.initial,
  revision: 'no stream',
  lastEventId: null,
});

/** Folds the events after `known`. Null when the stream no longer holds the event that `known` ends with, as after a failover that lost the latest appends. */
export async function foldStream<State, Event extends EventBody>(
  store: Pick<EventStore, 'readStream'>,
  { stream, decider }: Pick<StreamTarget<State, Event>, 'stream' | 'decider'>,
  known: FoldedStream<State>,
  { limit }: FoldOptions = {},
): Promise<LoadedStream<State> | null> {
  let { state, revision, lastEventId } = known;
  let isVerified = lastEventId === null;
  let lastRead: StreamEvent | null = null;
  const from = Math.max(revisionNumber(revision), 0);
  for await (const event of store.readStream(stream, { from, ...(limit !== undefined && { limit }) })) {
    if (!isVerified) {
      if (event.revision !== known.revision || event.id !== lastEventId || known.standsOn?.(event) === false) return null;
      isVerified = true;
      continue;
    }
    // A stream holds the events of its deciders alone.
    state = decider.evolve(state, upcast(event) as unknown as Event);
    ({ revision, id: lastEventId } = event);
    lastRead = event;
  }
  return isVerified ? { state, revision, lastEventId, lastRead } : null;
}
