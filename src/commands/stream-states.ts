import { LRUCache } from 'lru-cache';
import { upcast } from '../domain/events.ts';
import type { EventStore, ExpectedRevision } from '../event-store/event-store.ts';
import type { StreamTarget } from '../kernel/decider.ts';
import type { EventBody, StreamEvent } from '../kernel/event.ts';
import { revisionNumber } from './new-events.ts';

/** A stream folded up to a revision, and the id of the event there: a failover may replace that event by another. */
export interface FoldedStream<State> {
  readonly state: State;
  readonly revision: ExpectedRevision;
  readonly lastEventId: string | null;
}

export interface LoadedStream<State> extends FoldedStream<State> {
  /** The events that an earlier attempt of the command appended. */
  readonly earlier: readonly StreamEvent[];
}

export const beginningOf = <State, Event extends EventBody>({ decider }: StreamTarget<State, Event>): FoldedStream<State> => ({
  state: decider.initial,
  revision: 'no stream',
  lastEventId: null,
});

const STREAMS_PER_DECIDER = 20_000;

/**
 * Loads streams through an LRU cache of folded states. A stale entry costs one conflict, never a wrong decision, because an append names the expected
 * revision. (The exception: a failover lost the end of the stream, and another instance has appended as many events since.)
 */
export class StreamStates {
  private readonly byDecider = new WeakMap<object, LRUCache<string, FoldedStream<unknown>>>();

  constructor(private readonly store: Pick<EventStore, 'readStream'>) {}

  cached<State, Event extends EventBody>({ decider, stream }: StreamTarget<State, Event>): FoldedStream<State> | null {
    // Only `remember` writes here, with a state of the same decider.
    return (this.cacheOf(decider).get(stream) as FoldedStream<State> | undefined) ?? null;
  }

  remember<State, Event extends EventBody>({ decider, stream }: StreamTarget<State, Event>, folded: FoldedStream<State>): void {
    const cache = this.cacheOf(decider);
    const known = cache.peek(stream);
    if (known === undefined || revisionNumber(known.revision) <= revisionNumber(folded.revision)) cache.set(stream, folded);
  }

  /** The stream as the store holds it now. The events of `commandId` are found by reading from the beginning. */
  async load<State, Event extends EventBody>(target: StreamTarget<State, Event>, commandId: string | null): Promise<LoadedStream<State>> {
    const beginning = beginningOf(target);
    const cached = commandId === null ? this.cached(target) : null;
    let loaded = await this.foldOn(target, cached ?? beginning, commandId);
    if (loaded === null) {
      this.cacheOf(target.decider).delete(target.stream);
      loaded = (await this.foldOn(target, beginning, commandId)) ?? { ...beginning, earlier: [] };
    }
    const { state, revision, lastEventId } = loaded;
    if (revision !== 'no stream') this.remember(target, { state, revision, lastEventId });
    return loaded;
  }

  /** Null: the stream no longer holds the event that `known` ends with, as after a failover that lost the latest appends. */
  private async foldOn<State, Event extends EventBody>(
    { stream, decider }: StreamTarget<State, Event>,
    known: FoldedStream<State>,
    commandId: string | null,
  ): Promise<LoadedStream<State> | null> {
    let { state, revision, lastEventId } = known;
    let isVerified = lastEventId === null;
    const earlier: StreamEvent[] = [];
    for await (const event of this.store.readStream(stream, { from: Math.max(revisionNumber(revision), 0) })) {
      if (!isVerified) {
        if (event.revision !== known.revision || event.id !== lastEventId) return null;
        isVerified = true;
        continue;
      }
      // A stream holds the events of its deciders alone.
      state = decider.evolve(state, upcast(event) as unknown as Event);
      ({ revision, id: lastEventId } = event);
      if (event.meta.commandId === commandId) earlier.push(event);
    }
    return isVerified ? { state, revision, lastEventId, earlier } : null;
  }

  private cacheOf(decider: object): LRUCache<string, FoldedStream<unknown>> {
    let cache = this.byDecider.get(decider);
    if (cache === undefined) {
      cache = new LRUCache({ max: STREAMS_PER_DECIDER });
      this.byDecider.set(decider, cache);
    }
    return cache;
  }
}
