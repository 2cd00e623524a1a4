import { Injectable } from '@nestjs/common';
import type { StoredEvent } from '../platform/event-store/lazy-event.ts';
import type { LogEvent } from '../kernel/event.ts';
import { justBefore } from '../kernel/instants.ts';
import { Log } from '../platform/log/log.ts';
import { LogSearcher } from '../platform/log/search.ts';
import { ListPage } from '../platform/http/lists/list.ts';
import type { PresentedEvent } from './event.presenter.ts';
import type { HistoryQuery } from './history-query.ts';
import { type KnownNames, NamesReader } from './names-reader.ts';
import { eventLines, presentedPieces, presentEvents } from './present-events.ts';

const BATCH = 200;
const END = Number.MAX_SAFE_INTEGER;

@Injectable()
export class HistoryReading {
  constructor(
    private readonly searcher: LogSearcher,
    private readonly log: Log,
    private readonly names: NamesReader,
  ) {}

  async page(query: HistoryQuery, scope: string | null): Promise<ListPage> {
    const found = await this.find(query, scope, query.position, query.limit + 1);
    const events = found.slice(0, query.limit);
    const last = events.at(-1);
    const end = found.length > query.limit && last !== undefined ? { value: last.n, key: last.id } : null;
    return new ListPage({ events: await this.presented(events) }, end);
  }

  /** The whole history in batches, so that memory stays bounded. */
  async *batches(query: HistoryQuery, scope: string | null): AsyncGenerator<readonly PresentedEvent[]> {
    for (let position = query.position; ;) {
      const found = await this.find(query, scope, position, BATCH);
      yield* this.presentedPieces(found);
      const last = found.at(-1);
      if (last === undefined || found.length < BATCH) return;
      position = last.n;
    }
  }

  /** The events of the event's chain in log order, which is causal; null for an unknown event. */
  async chain(scope: string, eventId: string): Promise<readonly PresentedEvent[] | null> {
    const events = await this.searcher.chain(scope, eventId);
    return events.length === 0 ? null : this.presented(events);
  }

  async deletedAt(scope: string): Promise<string | null> {
    const [event] = await this.searcher.find({
      after: -1,
      before: END,
      scopes: [scope],
      types: ['ProjectDeleted'],
      stream: null,
      actors: [],
      direction: 'desc',
      limit: 1,
    });
    return event?.recordedAt ?? null;
  }

  /** The log position of an event of the project; null for an unknown event. */
  positionOf(scope: string, eventId: string): Promise<number | null> {
    return this.searcher.nOfEvent(scope, eventId);
  }

  /** The next events of these types after a position, in order. */
  after(scope: string, position: number, types: readonly string[], limit: number): Promise<readonly LogEvent[]> {
    return this.searcher.find({
      after: position,
      before: END,
      scopes: [scope],
      types,
      limit,
      stream: null,
      actors: [],
      direction: 'asc',
    });
  }

  /** The last events of these types, in order. */
  async newest(scope: string, types: readonly string[], limit: number): Promise<readonly LogEvent[]> {
    const found = await this.searcher.find({
      after: -1,
      before: END,
      scopes: [scope],
      types,
      limit,
      stream: null,
      actors: [],
      direction: 'desc',
    });
    return found.toReversed();
  }

  presented(events: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
    return presentEvents(this.names, events);
  }

  presentedPieces(events: readonly LogEvent[]): AsyncGenerator<readonly PresentedEvent[]> {
    return presentedPieces(this.names, events);
  }

  lines(events: readonly StoredEvent[], known: KnownNames): AsyncGenerator<string> {
    return eventLines(this.names, events, known);
  }

  private async find(query: HistoryQuery, scope: string | null, position: number | null, limit: number): Promise<readonly LogEvent[]> {
    const { order, types, stream, actors } = query;
    const after = query.from === null ? -1 : await this.log.at(justBefore(query.from));
    const before = query.to === null ? END : (await this.log.at(query.to)) + 1;
    return this.searcher.find({
      after: order === 'asc' && position !== null ? Math.max(after, position) : after,
      before: order === 'desc' && position !== null ? Math.min(before, position) : before,
      scopes: scope === null ? null : [scope],
      types,
      stream,
      actors,
      limit,
      direction: order,
    });
  }
}
