import { setImmediate as yielding } from 'node:timers/promises';
import type { Log } from '../../log/log.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** Where an operator's `EventVoided` has to stand for every fold to find it, whatever it is about. */
export const VOIDING_SCOPE = 'system';
const PAGE = 1_000;

/** The positions that folds pass over: now, as of any instant, and in every rebuild, so also before the voiding was said. */
export class VoidedEvents {
  private readonly positions = new Set<number>();
  private read = -1;
  private reading: Promise<void> = Promise.resolve();

  constructor(private readonly log: Log) {}

  has(n: number): boolean {
    return this.positions.has(n);
  }

  /** One query when nothing new was said, which is almost always. */
  refresh(): Promise<void> {
    this.reading = this.reading.catch(() => undefined).then(() => this.advance());
    return this.reading;
  }

  private async advance(): Promise<void> {
    for (;;) {
      const events = await this.log.read({ after: this.read, scope: VOIDING_SCOPE, limit: PAGE });
      for (const event of events) this.take(event);
      if (events.length < PAGE) return;
      await yielding();
    }
  }

  private take(event: LogEvent): void {
    this.read = event.n;
    const n = voidedPosition(event);
    if (n !== null) this.positions.add(n);
  }
}

/** The position that an event voids, null for every other event. */
export function voidedPosition(event: LogEvent): number | null {
  if (event.type !== 'EventVoided' || event.scope !== VOIDING_SCOPE) return null;
  return 'n' in event.data && typeof event.data.n === 'number' ? event.data.n : null;
}
