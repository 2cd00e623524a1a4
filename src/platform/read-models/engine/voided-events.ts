import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Log } from '../../log/log.ts';
import type { LogEvent } from '../../../kernel/event.ts';

/** A projection also skips the events that were skipped for it alone; the signature of a team's projection is its version. */
export interface ProjectionIdentity {
  readonly name: string;
  readonly signature: string;
}

const NO_PROJECTION: ProjectionIdentity = { name: '', signature: '' };

/** The scope of every `EventVoided`, whatever the voided event is about. */
export const VOIDING_SCOPE = 'system';
const PAGE = 1_000;

/** The positions that every fold skips, also a fold as of an instant before the event was voided. */
export class VoidedEvents {
  /** With the position of the event that voided each. */
  private readonly positions = new Map<number, number>();
  private read = -1;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: Pick<Log, 'read'>,
    private readonly reader: ProjectionIdentity = NO_PROJECTION,
  ) {}

  has(n: number): boolean {
    return this.positions.has(n);
  }

  /** The last event that was considered, and every voided position with the position of the event that voided it. */
  known(): { readonly until: number; readonly voided: ReadonlyMap<number, number> } {
    return { until: this.read, voided: this.positions };
  }

  /** One query unless an event was voided since. */
  refresh(): Promise<void> {
    this.reading = this.reading.catch(() => undefined).then(() => this.advance());
    return this.reading;
  }

  private async advance(): Promise<void> {
    for (;;) {
      const events = await this.log.read({ after: this.read, scope: VOIDING_SCOPE, limit: PAGE });
      for (const event of events) this.add(event);
      if (events.length < PAGE) return;
      await yieldToOthers();
    }
  }

  private add(event: LogEvent): void {
    this.read = event.n;
    const n = voidedPosition(event, this.reader);
    if (n !== null && !this.positions.has(n)) this.positions.set(n, event.n);
  }
}

/** The position that an event voids for this reader, null for every other event. */
export function voidedPosition({ type, scope, data }: LogEvent, { name, signature }: ProjectionIdentity = NO_PROJECTION): number | null {
  if (scope !== VOIDING_SCOPE || !('n' in data) || typeof data.n !== 'number') return null;
  if (type === 'EventVoided') return data.n;
  if (type !== 'ProjectionEventSkipped' || !('projection' in data) || !('version' in data)) return null;
  return data.projection === name && String(data.version) === signature ? data.n : null;
}
