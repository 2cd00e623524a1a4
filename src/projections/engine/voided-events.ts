import { setImmediate as yielding } from 'node:timers/promises';
import type { Log } from '../../log/log.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** Who reads: a team's projection passes over what was skipped for it, too. The signature of a team's is its version. */
export interface Reader {
  readonly name: string;
  readonly signature: string;
}

const NO_TEAM: Reader = { name: '', signature: '' };

/** Where an operator's `EventVoided` has to stand for every fold to find it, whatever it is about. */
export const VOIDING_SCOPE = 'system';
const PAGE = 1_000;

/** The positions that folds pass over: now, as of any instant, and in every rebuild, so also before the voiding was said. */
export class VoidedEvents {
  private readonly positions = new Set<number>();
  private read = -1;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly log: Log,
    private readonly reader: Reader = NO_TEAM,
  ) {}

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
    const n = voidedPosition(event, this.reader);
    if (n !== null) this.positions.add(n);
  }
}

/** The position that an event voids for this reader, null for every other event. */
export function voidedPosition({ type, scope, data }: LogEvent, { name, signature }: Reader): number | null {
  if (scope !== VOIDING_SCOPE || !('n' in data) || typeof data.n !== 'number') return null;
  if (type === 'EventVoided') return data.n;
  if (type !== 'ProjectionEventSkipped' || !('projection' in data) || !('version' in data)) return null;
  return data.projection === name && String(data.version) === signature ? data.n : null;
}
