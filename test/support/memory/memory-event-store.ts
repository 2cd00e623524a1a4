import { LocalWake, type Wake } from '../../../src/platform/postgres/wake.ts';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import type { EventMeta, LogEvent, NewEvent, StreamEvent } from '../../../src/kernel/event.ts';
import { isoMicroseconds } from '../../../src/kernel/instants.ts';
import type {
  AppendResult,
  EventStore,
  ExpectedRevision,
  FollowedEvent,
  ReadAfter,
  ReadOptions,
  StreamEnd,
} from '../../../src/platform/event-store/event-store.ts';
import { serialise, type SerialisedEvent } from '../../../src/platform/event-store/limits.ts';

const PAGE = 500;
const POLL_MS = 500;

/** An event store in one array, on a given clock: for unit tests and for simulations on virtual time. */
export class MemoryEventStore implements EventStore {
  readonly events: LogEvent[] = [];
  private readonly streams = new Map<string, LogEvent[]>();
  private readonly ids = new Set<string>();
  private lastMicroseconds = 0;

  constructor(
    private readonly clock: Clock = systemClock,
    private readonly wake: Wake = new LocalWake(),
  ) {}

  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const serialised = serialise(stream, events);
    await Promise.resolve();
    const known = this.streams.get(stream) ?? [];
    const first = expected === 'no stream' ? 0 : expected + 1;
    if (known.length > first && events.every(({ id }, step) => known[first + step]?.id === id)) {
      const last = known[first + events.length - 1];
      return { kind: 'appended', revision: first + events.length - 1, place: { position: String(last?.n) } };
    }
    if (known.length !== first) return { kind: 'conflict', actual: known.length === 0 ? 'no stream' : known.length - 1 };
    const duplicate = events.find(({ id }) => this.ids.has(id));
    if (duplicate) throw new Error(`the event id ${duplicate.id} exists already in another place`);
    this.streams.set(stream, known);
    for (const event of serialised) this.record(stream, known, event);
    this.wake.ring('log');
    return { kind: 'appended', revision: known.length - 1, place: { position: String(this.events.length - 1) } };
  }

  async *readStream(stream: string, options: ReadOptions | ReadAfter = {}): AsyncGenerator<StreamEvent> {
    await Promise.resolve();
    const known = this.streams.get(stream) ?? [];
    if ('after' in options) {
      for (const { n, recordedAt: _recordedAt, ...event } of known) if (n > Number(options.after)) yield event;
      return;
    }
    const { direction = 'forward', limit = Number.MAX_SAFE_INTEGER } = options;
    const part =
      direction === 'forward' ? known.slice(options.from ?? 0) : known.slice(0, (options.from ?? known.length - 1) + 1).toReversed();
    for (const { n: _n, recordedAt: _recordedAt, ...event } of part.slice(0, limit)) yield event;
  }

  async ends(streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
    await Promise.resolve();
    return new Map(
      streams.flatMap((stream) => {
        const last = this.streams.get(stream)?.at(-1);
        return last === undefined ? [] : [[stream, { revision: last.revision, id: last.id }] as const];
      }),
    );
  }

  async *follow(position: string | null, signal: AbortSignal): AsyncGenerator<readonly FollowedEvent[]> {
    let next = position === null ? 0 : Number(position) + 1;
    const bell = this.wake.bell('log');
    try {
      while (!signal.aborted) {
        const page = this.events.slice(next, next + PAGE);
        next += page.length;
        if (page.length === 0) await bell.wait(POLL_MS, signal);
        else yield page.map(({ n, recordedAt, ...event }) => ({ ...event, position: String(n), storedAt: recordedAt }));
      }
    } finally {
      bell.close();
    }
  }

  ping(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Stores a copy by way of JSON, as every engine does: later changes to the caller's objects do not reach it. */
  private record(stream: string, known: LogEvent[], { event, data, meta }: SerialisedEvent): void {
    this.lastMicroseconds = Math.max(Math.floor(this.clock.now() * 1_000), this.lastMicroseconds + 1);
    const { id, type, version, scope } = event;
    const stored = { stream, revision: known.length, n: this.events.length, recordedAt: isoMicroseconds(this.lastMicroseconds) };
    // The casts hold because the text was serialised from these very fields.
    const parsed = { data: JSON.parse(data) as object, meta: JSON.parse(meta) as EventMeta };
    const recorded: LogEvent = { id, type, version, scope, ...parsed, ...stored };
    this.ids.add(id);
    known.push(recorded);
    this.events.push(recorded);
  }
}
