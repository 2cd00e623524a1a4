import type { LRUCache } from 'lru-cache';
import { BEGINNING_EVENTS, type EventStore, type StreamEnd } from '../event-store/event-store.ts';
import type { StreamTarget } from '../../kernel/decider.ts';
import type { EventBody, StreamEvent } from '../../kernel/event.ts';
import { growingCache } from '../../kernel/cached.ts';
import type { CommandContext } from './context.ts';
import { beginningOf, type FoldedStream, foldStream, type LoadedStream } from './fold-stream.ts';
import { revisionNumber } from './new-events.ts';
import { NO_SNAPSHOTS, SNAPSHOT_EVERY, type StreamSnapshots } from './snapshots/stream-snapshots.ts';

/** The end of a stream, undefined where there is none. */
export type EndOfStream = (stream: string) => Promise<StreamEnd | undefined>;

const STREAMS_PER_DECIDER = 20_000;

/**
 * Loads streams through an LRU cache of folded states. A stale entry costs one conflict, never a wrong decision, because an append names the expected
 * revision. (The exception: a failover lost the end of the stream, and another instance has appended as many events since.)
 */
export class StreamStates {
  private readonly byDecider = new WeakMap<object, LRUCache<string, FoldedStream<unknown>>>();

  constructor(
    private readonly store: Pick<EventStore, 'readStream'>,
    private readonly snapshots: StreamSnapshots = NO_SNAPSHOTS,
    private readonly streamsPerDecider = STREAMS_PER_DECIDER,
  ) {}

  cached<State, Event extends EventBody>({ decider, stream }: StreamTarget<State, Event>): FoldedStream<State> | null {
    // Only `remember` writes here, with a state of the same decider.
    return (this.cacheOf(decider).get(stream) as FoldedStream<State> | undefined) ?? null;
  }

  remember<State, Event extends EventBody>({ decider, stream }: StreamTarget<State, Event>, folded: FoldedStream<State>): void {
    const cache = this.cacheOf(decider);
    const known = cache.peek(stream);
    if (known === undefined || revisionNumber(known.revision) <= revisionNumber(folded.revision)) cache.set(stream, folded);
  }

  /** After an append that followed on `before`. */
  appended<State, Event extends EventBody>(
    target: StreamTarget<State, Event>,
    before: FoldedStream<State>,
    folded: FoldedStream<State>,
  ): void {
    this.remember(target, folded);
    const due = ({ revision }: FoldedStream<State>): number => Math.floor((revisionNumber(revision) + 1) / SNAPSHOT_EVERY);
    if (due(folded) > due(before)) this.snapshots.refresh(target.stream);
  }

  /**
   * As `load`, but reads a stream only if its end is another than the known one. The end may be a moment old: for decisions that are made again soon, such as
   * about each probe.
   */
  async loadIfMoved<State, Event extends EventBody>(target: StreamTarget<State, Event>, endOf: EndOfStream): Promise<FoldedStream<State>> {
    const end = await endOf(target.stream);
    const known = this.cached(target) ?? beginningOf(target);
    const isAtEnd = end === undefined ? known.revision === 'no stream' : end.revision === known.revision && end.id === known.lastEventId;
    return isAtEnd ? known : this.load(target);
  }

  /** The stream as the store holds it now. */
  async load<State, Event extends EventBody>(target: StreamTarget<State, Event>): Promise<LoadedStream<State>> {
    const beginning = beginningOf(target);
    const cached = this.cached(target);
    let loaded = await (cached === null ? this.loadCold(target) : foldStream(this.store, target, cached));
    if (loaded === null) {
      this.cacheOf(target.decider).delete(target.stream);
      loaded = (await foldStream(this.store, target, beginning)) ?? { ...beginning, lastRead: null };
    }
    const { state, revision, lastEventId } = loaded;
    if (revision !== 'no stream') this.remember(target, { state, revision, lastEventId });
    return loaded;
  }

  /**
   * The events that an earlier attempt of the command appended, by reading without folding. After the state that is decided on: an attempt of another instance
   * in between is a conflict of the append.
   */
  async earlierEvents(stream: string, { commandId, firstTriedAfter }: CommandContext): Promise<readonly StreamEvent[]> {
    return (await this.earlierEventsOf(stream, [commandId], firstTriedAfter)).get(commandId) ?? [];
  }

  /** The same for several commands in one pass; a command without events is missing. */
  async earlierEventsOf(
    stream: string,
    commandIds: readonly string[],
    after: string | undefined,
  ): Promise<ReadonlyMap<string, readonly StreamEvent[]>> {
    const wanted = new Set(commandIds);
    const earlier = new Map<string, StreamEvent[]>();
    for await (const event of this.store.readStream(stream, after === undefined ? {} : { after })) {
      const { commandId } = event.meta;
      if (wanted.has(commandId)) earlier.set(commandId, [...(earlier.get(commandId) ?? []), event]);
    }
    return earlier;
  }

  /** A long stream is folded on from its snapshot; one that ends within its beginning has none. */
  private async loadCold<State, Event extends EventBody>(target: StreamTarget<State, Event>): Promise<LoadedStream<State> | null> {
    const first = await foldStream(this.store, target, beginningOf(target), { limit: BEGINNING_EVENTS });
    if (first === null || revisionNumber(first.revision) < BEGINNING_EVENTS - 1) return first;
    const snapshot = await this.snapshots.load(target);
    const fromSnapshot = snapshot && (await foldStream(this.store, target, snapshot));
    const loaded = fromSnapshot ?? (await foldStream(this.store, target, first));
    const base = fromSnapshot === null || snapshot === null ? -1 : revisionNumber(snapshot.revision);
    if (loaded !== null && revisionNumber(loaded.revision) - base > SNAPSHOT_EVERY) this.snapshots.refresh(target.stream);
    return loaded;
  }

  private cacheOf(decider: object): LRUCache<string, FoldedStream<unknown>> {
    let cache = this.byDecider.get(decider);
    if (cache === undefined) {
      cache = growingCache(this.streamsPerDecider);
      this.byDecider.set(decider, cache);
    }
    return cache;
  }
}
