import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type pg from 'pg';
import { InvalidInput } from '../../../kernel/errors.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { LOG, type Log } from '../../../log/log.ts';
import { LogSearcher } from '../../../log/search.ts';
import { DATABASE } from '../../../persistence/pool.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import { HistoryReading } from '../history-reading.ts';
import { LogTail, matchesFilter } from './log-tail.ts';

export interface FeedFilter {
  readonly types: readonly string[];
  /** Null: the whole log. */
  readonly scopes: readonly string[] | null;
}

export interface FeedPage {
  readonly events: readonly PresentedEvent[];
  /** Everything up to this position has been answered: the next `after`. */
  readonly position: number;
  /** The position of the last event of the log when the page was read. */
  readonly head: number;
}

/** Presented in one turn of the event loop, so that others are answered in between. */
const BATCH = 200;

@Injectable()
export class FeedReading {
  private readonly searcher: LogSearcher;

  constructor(
    @Inject(DATABASE) pool: pg.Pool,
    @Inject(LOG) private readonly log: Log,
    @Inject(LogTail) private readonly tail: LogTail,
    @Inject(HistoryReading) private readonly history: HistoryReading,
  ) {
    this.searcher = new LogSearcher(pool);
  }

  /** The instance stops: streams end, and clients connect to another one. */
  get isStopping(): boolean {
    return this.tail.isStopping;
  }

  /** Where `after` begins; null: at the end of the log. `param`: the name of the parameter. */
  async positionOf(after: number | null, param = 'after'): Promise<number> {
    const head = await this.log.head();
    if (after !== null && after > head)
      throw new InvalidInput(
        `${param}: is beyond the end of the log, ${String(head)}: it is the position of another log, or this one was restored`,
      );
    return after ?? head;
  }

  async page({ types, scopes }: FeedFilter, after: number, limit: number): Promise<FeedPage> {
    const head = await this.log.head();
    const found =
      head <= after
        ? []
        : await this.searcher.find({
            ...{ after, before: head + 1, scopes, types, limit },
            ...{ stream: null, actors: [], direction: 'asc' },
          });
    const events = await this.presented(found);
    const last = found.at(-1);
    return { events, position: last !== undefined && found.length === limit ? last.n : Math.max(after, head), head };
  }

  async presented(found: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
    const events: PresentedEvent[] = [];
    for (let from = 0; from < found.length; from += BATCH) {
      if (from > 0) await nextTurn();
      events.push(...(await this.history.presented(found.slice(from, from + BATCH))));
    }
    return events;
  }

  /** Waits until there may be an event after the position. */
  wait(filter: FeedFilter, after: number, milliseconds: number, signal: AbortSignal): Promise<void> {
    return this.tail.wait(after, matchesFilter(filter), milliseconds, signal);
  }

  /** All events from a position up to the end of the log as it is now, in batches, so that memory stays bounded. */
  async *batches(filter: FeedFilter, after: number, limit: number): AsyncGenerator<readonly PresentedEvent[]> {
    const end = await this.log.head();
    for (let position = after, left = limit; left > 0 && position < end;) {
      const page = await this.page(filter, position, Math.min(BATCH, left));
      const events = page.events.filter((event) => Number(event.position) <= end);
      if (events.length > 0) yield events;
      left -= events.length;
      ({ position } = page);
    }
  }
}
