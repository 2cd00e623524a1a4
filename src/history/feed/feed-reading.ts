import { Injectable } from '@nestjs/common';
import type { StoredEvent } from '../../platform/event-store/lazy-event.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { Log } from '../../platform/log/log.ts';
import { type LogSearch, LogSearcher } from '../../platform/log/search.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import { HistoryReading } from '../history-reading.ts';
import { KnownNames } from '../names-reader.ts';
import { LogTail, matchesFilter } from './log-tail.ts';

export interface FeedFilter {
  readonly types: readonly string[];
  /** Null for the whole log. */
  readonly scopes: readonly string[] | null;
}

export interface FeedPage {
  readonly events: readonly PresentedEvent[];
  /** Everything up to this position has been answered: the next `after`. */
  readonly position: number;
  /** The position of the last event of the log when the page was read. */
  readonly head: number;
}

/** Events that one query reads. */
const BATCH = 1_000;

@Injectable()
export class FeedReading {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly log: Log,
    private readonly tail: LogTail,
    private readonly history: HistoryReading,
  ) {}

  /** The instance stops: streams end, and clients connect to another one. */
  get isStopping(): boolean {
    return this.tail.isStopping;
  }

  /** The position from which `after` reads on, the end of the log when it is null; `param` is the name of the parameter. */
  async positionOf(after: number | null, param = 'after'): Promise<number> {
    const head = await this.log.head();
    if (after !== null && after > head)
      throw new InvalidInput(
        `${param}: is beyond the end of the log, ${String(head)}: it is the position of another log, or this one was restored`,
      );
    return after ?? head;
  }

  async page(filter: FeedFilter, after: number, limit: number): Promise<FeedPage> {
    const head = await this.log.head();
    const found = head <= after ? [] : await this.searcher.find(searchOf(filter, { after, end: head, limit }));
    const events = await this.presented(found);
    const last = found.at(-1);
    return { events, position: last !== undefined && found.length === limit ? last.n : Math.max(after, head), head };
  }

  presented(found: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
    return this.history.presented(found);
  }

  /** Waits until there may be an event after the position; false: the time is over, and none has come. */
  wait(filter: FeedFilter, after: number, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return this.tail.wait(after, matchesFilter(filter), milliseconds, signal);
  }

  /** All events from a position up to the end of the log as it is now, as lines of JSON. */
  async *lines(filter: FeedFilter, after: number, limit: number): AsyncGenerator<string> {
    const read = (search: LogSearch): Promise<readonly StoredEvent[]> => this.searcher.findStored(search);
    const known = new KnownNames();
    for await (const found of this.batches(filter, after, { limit, read, nOf: ({ envelope }) => envelope.n }))
      yield* this.history.lines(found, known);
  }

  /** The same in pieces. */
  async *pieces(filter: FeedFilter, after: number, limit: number): AsyncGenerator<readonly PresentedEvent[]> {
    const read = (search: LogSearch): Promise<readonly LogEvent[]> => this.searcher.find(search);
    for await (const found of this.batches(filter, after, { limit, read, nOf: ({ n }) => n })) yield* this.history.presentedPieces(found);
  }

  /** The database reads the next batch while one is presented and sent. */
  private async *batches<Item>(
    filter: FeedFilter,
    after: number,
    { limit, read, nOf }: BatchReading<Item>,
  ): AsyncGenerator<readonly Item[]> {
    const end = await this.log.head();
    const begin = (position: number, left: number): Promise<readonly Item[]> => {
      const found = read(searchOf(filter, { after: position, end, limit: Math.min(BATCH, left) }));
      // Handled here because a client that leaves does not await it.
      found.catch(() => undefined);
      return found;
    };
    let next = end <= after ? Promise.resolve([]) : begin(after, limit);
    for (let left = limit; ;) {
      const found = await next;
      left -= found.length;
      const last = found.length < BATCH || left <= 0 ? undefined : found.at(-1);
      if (last !== undefined) next = begin(nOf(last), left);
      yield found;
      if (last === undefined) return;
    }
  }
}

interface BatchReading<Item> {
  readonly limit: number;
  readonly read: (search: LogSearch) => Promise<readonly Item[]>;
  readonly nOf: (item: Item) => number;
}

const searchOf = (
  { types, scopes }: FeedFilter,
  { after, end, limit }: { readonly after: number; readonly end: number; readonly limit: number },
): LogSearch => ({
  after,
  before: end + 1,
  scopes,
  types,
  limit,
  stream: null,
  actors: [],
  direction: 'asc',
});
