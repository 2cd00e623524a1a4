import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { reasonOf, Unreadable } from '../views/fold.ts';
import { type Reader, VoidedEvents, voidedPosition } from '../engine/voided-events.ts';
import { upcast } from '../../domain/events.ts';

/** What of the log is one set projection's: the types that it handles, without what was voided for it, each in today's shape and with its partition. */
export class SetEvents {
  private readonly reader: Reader;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly projection: Projection,
    log: Log,
  ) {
    this.reader = { name: projection.name, signature: String(projection.version) };
    this.voided = new VoidedEvents(log, this.reader);
  }

  /** Learns what was voided meanwhile. */
  refresh(): Promise<void> {
    return this.voided.refresh();
  }

  /** The position that an event voids for this projection, null for every other event. */
  voids(event: LogEvent): number | null {
    return voidedPosition(event, this.reader);
  }

  isVoided({ n }: LogEvent): boolean {
    return this.voided.has(n);
  }

  handles({ type }: LogEvent): boolean {
    return this.projection.handles.has(type);
  }

  wanted(events: readonly LogEvent[]): readonly LogEvent[] {
    return events.filter((event) => this.handles(event) && !this.isVoided(event)).map(readable);
  }

  /** Of an event in today's shape. Nothing can wait behind one of which nobody knows where it belongs. */
  partitionOf(event: LogEvent): string {
    try {
      return this.projection.partition(event);
    } catch (cause) {
      throw new Unreadable(event, new Error(`"partition" of ${this.projection.name} threw ${reasonOf(cause)}`));
    }
  }
}

/** In today's shape. */
export function readable(event: LogEvent): LogEvent {
  try {
    return upcast(event);
  } catch (cause) {
    throw new Unreadable(event, cause);
  }
}
