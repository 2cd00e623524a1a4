import type { Wake } from '../../../src/platform/postgres/wake.ts';
import type { LogEvent } from '../../../src/kernel/event.ts';
import { followPages } from '../../../src/platform/log/postgres-log.ts';
import { type Log, type LogQuery, NotInLogYet } from '../../../src/platform/log/log.ts';

const PAGE = 2_000;

/** The part of `MemoryEventStore` that is read. */
interface EventSource {
  readonly events: readonly LogEvent[];
}

/** The log of a `MemoryEventStore`, which must share its wake-up. */
export class MemoryLog implements Log {
  constructor(
    private readonly store: EventSource,
    private readonly wake: Wake,
  ) {}

  async read({ after, until = Infinity, scope, types, limit }: LogQuery): Promise<readonly LogEvent[]> {
    await Promise.resolve();
    const { events } = this.store;
    const first = Math.max(after + 1, 0);
    if (scope === undefined) return events.slice(first, Math.min(first + limit, until + 1));
    const found: LogEvent[] = [];
    for (let n = first; n < events.length && n <= until && found.length < limit; n++) {
      const event = events[n];
      if (event?.scope === scope && (types?.includes(event.type) ?? true)) found.push(event);
    }
    return found;
  }

  head(): Promise<number> {
    return Promise.resolve(this.store.events.length - 1);
  }

  at(instant: string): Promise<number> {
    const microseconds = microsecondsOf(instant);
    return Promise.resolve(this.store.events.findLastIndex(({ recordedAt }) => microsecondsOf(recordedAt) <= microseconds));
  }

  follow(after: number, signal: AbortSignal, batch = PAGE): AsyncIterable<readonly LogEvent[]> {
    return followPages((query) => this.read(query), this.wake.bell('log'), after, signal, batch);
  }

  async waitBeyond(after: number, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const bell = this.wake.bell('log');
    const isBeyond = () => this.store.events.length - 1 > after;
    const deadline = performance.now() + milliseconds;
    while (!isBeyond() && performance.now() < deadline && signal?.aborted !== true) await bell.wait(deadline - performance.now(), signal);
    bell.close();
    return isBeyond();
  }

  locate(position: string): Promise<number> {
    const n = Number(position);
    return n < this.store.events.length ? Promise.resolve(n) : Promise.reject(new NotInLogYet(`the log has no event ${position}`));
  }
}

/** `Date.parse` truncates to milliseconds. */
function microsecondsOf(instant: string): number {
  const fraction = /\.\d{3}(\d{1,3})/.exec(instant)?.[1] ?? '';
  return Date.parse(instant) * 1_000 + Number(fraction.padEnd(3, '0'));
}
