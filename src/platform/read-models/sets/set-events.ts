import { LogDamaged } from '../../event-store/lazy-event.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { errorText, readable, UnreadableEvent } from '../engine/parked-events.ts';
import { type ProjectionIdentity, VoidedEvents, voidedPosition } from '../engine/voided-events.ts';

/** The events of the log that one set projection applies: of its types, not voided for it, in today's shape. */
export class SetEvents {
  private readonly identity: ProjectionIdentity;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly projection: Projection,
    log: Pick<Log, 'read'>,
  ) {
    this.identity = { name: projection.name, signature: String(projection.version) };
    this.voided = new VoidedEvents(log, this.identity);
  }

  /** Reads what was voided since. */
  refresh(): Promise<void> {
    return this.voided.refresh();
  }

  /** The position that an event voids for this projection, null for every other event. */
  voids(event: LogEvent): number | null {
    return voidedPosition(event, this.identity);
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

  /** Expects today's shape. An event whose partition cannot be determined cannot be parked either. */
  partitionOf(event: LogEvent): string {
    try {
      return this.projection.partition(event);
    } catch (cause) {
      if (cause instanceof LogDamaged) throw cause;
      throw new UnreadableEvent(event, new Error(`"partition" of ${this.projection.name} threw ${errorText(cause)}`));
    }
  }
}
