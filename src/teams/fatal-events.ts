import type pg from 'pg';
import type { Log } from '../platform/log/log.ts';
import { park, type ParkedEvent, parkedEventOf } from '../platform/read-models/engine/parked-events.ts';
import { schemaOf } from '../platform/read-models/engine/schema-names.ts';
import type { Applying } from '../platform/read-models/sets/set-work.ts';

export interface FatalEventsOptions {
  readonly pool: pg.Pool;
  readonly log: Pick<Log, 'read'>;
  readonly projection: { readonly name: string; readonly version: number };
  readonly onParked: (parked: ParkedEvent) => void;
}

/** Ends in a row at the same event: one may have had another cause, such as a view or a route of the package. */
const REPEATS = 2;

class EndedProcess extends Error {
  override readonly name = 'EndedProcess';
}

/**
 * Events that end the process of a set projection, by a crash or an endless loop. After an end within a page, its events are applied one by one, each announced before; an event at
 * which the process ends twice is parked with its partition, as one that the handler refuses.
 */
export class FatalEvents {
  private until = -1;
  private suspect: { readonly n: number; readonly partition: string; readonly reason: string; readonly ends: number } | null = null;

  constructor(private readonly options: FatalEventsOptions) {}

  /** For the next runner. */
  get oneByOneUntil(): number {
    return this.until;
  }

  note(applying: Applying | undefined, reason: string): void {
    if (applying === undefined) return;
    const { first, last, partition } = applying;
    this.until = Math.max(this.until, last);
    if (partition === null) return;
    this.suspect = { n: first, partition, reason, ends: this.suspect?.n === first ? this.suspect.ends + 1 : 1 };
  }

  /** Before the next runner begins. */
  async parkRepeated(): Promise<void> {
    const { pool, log, projection, onParked } = this.options;
    if (this.suspect === null || this.suspect.ends < REPEATS) return;
    const { n, partition, reason } = this.suspect;
    this.suspect = null;
    const schema = schemaOf(projection);
    const { rowCount } = await pool.query('SELECT FROM projection WHERE schema = $1 AND n < $2', [schema, n]);
    const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (rowCount === 0 || event === undefined) return;
    const parked = parkedEventOf(projection.name, partition, event, new EndedProcess(reason));
    await park(pool, schema, parked);
    onParked(parked);
  }
}
