import type { EventMeta, LogEvent } from '../../../kernel/event.ts';
import type { SerialisedEvent } from '../limits.ts';

/** Appended events of one stream, which follow each other in the log. */
export interface WrittenEvents {
  readonly stream: string;
  /** The revision of the first event. */
  readonly revision: number;
  readonly n: number;
  /** When the first event was recorded, as ISO 8601 with microseconds; each further event is one microsecond later. */
  readonly recordedAt: string;
  readonly events: readonly SerialisedEvent[];
}

interface Recent {
  readonly n: number;
  readonly bytes: number;
  readonly parse: () => LogEvent;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The latest events that this process appended, as the log holds them, so that its own projection runner need not read them again. They are without gaps:
 * where another process appended in between, only what follows is known, and the runner reads the log. They may be lost in a failover of the database: the
 * runner writes nothing that the log does not hold by then.
 */
export class RecentAppends {
  private recent: Recent[] = [];
  private bytes = 0;

  /** In the order of the log. */
  add({ stream, revision, n: first, recordedAt, events }: WrittenEvents): void {
    if (this.recent.at(-1)?.n !== first - 1) this.clear();
    for (const [index, { event, data, meta, bytes }] of events.entries()) {
      const n = first + index;
      const parse = (): LogEvent => ({
        n,
        recordedAt: microsecondsLater(recordedAt, index),
        id: event.id,
        stream,
        revision: revision + index,
        type: event.type,
        version: event.version,
        scope: event.scope,
        // Casts: the text was made of both. Parsed, because a reader of the log gets values that nothing else holds.
        data: JSON.parse(data) as object,
        meta: JSON.parse(meta) as EventMeta,
      });
      this.recent.push({ n, bytes, parse });
      this.bytes += bytes;
    }
    while (this.recent.length > MAX_EVENTS || this.bytes > MAX_BYTES) this.drop();
  }

  /** The events right after `n`; none where they are not known. What is before them is forgotten: there is one reader. */
  after(n: number): readonly LogEvent[] {
    while ((this.recent[0]?.n ?? Infinity) <= n) this.drop();
    return this.recent[0]?.n === n + 1 ? this.recent.map(({ parse }) => parse()) : [];
  }

  clear(): void {
    this.recent = [];
    this.bytes = 0;
  }

  private drop(): void {
    this.bytes -= this.recent.shift()?.bytes ?? 0;
  }
}

const MILLISECONDS_LENGTH = '2026-11-21T12:00:00.123'.length;

/** As the append functions count. */
export function microsecondsLater(instant: string, steps: number): string {
  const micros = Number(instant.slice(MILLISECONDS_LENGTH, -1)) + steps;
  const millis = Date.parse(`${instant.slice(0, MILLISECONDS_LENGTH)}Z`) + Math.floor(micros / 1_000);
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros % 1_000).padStart(3, '0')}Z`;
}
