import type pg from 'pg';
import type { StreamEvent } from '../../../kernel/event.ts';
import { BatchedLookup } from '../../postgres/batched-lookup.ts';
import { BEGINNING_EVENTS } from '../event-store.ts';
import { LogDamaged } from '../log-damaged.ts';
import { readStreamRows } from '../log-rows.ts';

/** In one statement; each may hold events of the largest size. */
const STREAMS_AT_ONCE = 16;

const ROWS = `SELECT l.* FROM unnest($1::text[]) AS wanted (stream)
  CROSS JOIN LATERAL (SELECT * FROM log WHERE stream = wanted.stream ORDER BY revision LIMIT ${String(BEGINNING_EVENTS)}) AS l`;

/**
 * The first events of streams, in one statement for those that are asked for in one turn of the event loop: a process that has just started reads the streams
 * of thousands of sites, each once.
 */
export class StreamBeginnings {
  private readonly lookup = new BatchedLookup<Promise<readonly StreamEvent[]>>((streams) => Promise.resolve(this.readAll(streams)));

  constructor(private readonly pool: pg.Pool) {}

  async read(stream: string): Promise<readonly StreamEvent[]> {
    return (await this.lookup.load(stream)) ?? [];
  }

  private readAll(streams: readonly string[]): ReadonlyMap<string, Promise<readonly StreamEvent[]>> {
    const pages = new Map<string, Promise<readonly StreamEvent[]>>();
    for (let from = 0; from < streams.length; from += STREAMS_AT_ONCE) {
      const some = streams.slice(from, from + STREAMS_AT_ONCE);
      const reading = this.readSome(some);
      for (const stream of some) pages.set(stream, this.pageOf(stream, reading));
    }
    return pages;
  }

  private async pageOf(stream: string, reading: Promise<ReadonlyMap<string, readonly StreamEvent[]>>): Promise<readonly StreamEvent[]> {
    try {
      return (await reading).get(stream) ?? [];
    } catch (error) {
      if (!(error instanceof LogDamaged)) throw error;
      // Only the readers of the damaged stream fail.
      return (await this.readSome([stream])).get(stream) ?? [];
    }
  }

  private async readSome(streams: readonly string[]): Promise<ReadonlyMap<string, readonly StreamEvent[]>> {
    const events = await readStreamRows(this.pool, { name: 'read_beginnings', rows: ROWS, values: [streams] });
    return new Map(streams.map((stream) => [stream, events.filter((event) => event.stream === stream)]));
  }
}
