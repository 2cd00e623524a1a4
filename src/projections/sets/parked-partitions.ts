import type pg from 'pg';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { reasonOf } from '../views/fold.ts';
import { park } from '../views/parked-rows.ts';
import type { HandlerTransaction } from '../authoring/projection-tx.ts';
import type { Trouble } from '../views/row.ts';
import { readable, type SetEvents } from './set-events.ts';
import { setTransaction } from './set-transaction.ts';

export interface ParkedParts {
  readonly projection: Projection;
  readonly events: SetEvents;
  readonly log: Log;
  readonly db: pg.Pool;
  readonly schema: string;
  readonly onParked: (trouble: Trouble) => void;
}

/** The partitions of a set projection that stand still behind an event which could not be taken, and what waits with them: in the log, not in a queue. */
export class ParkedPartitions {
  private partitions = new Set<string>();

  constructor(private readonly parts: ParkedParts) {}

  async begin(): Promise<void> {
    const { db, schema } = this.parts;
    const { rows } = await db.query<{ key: string }>('SELECT key FROM projection_parked WHERE schema = $1', [schema]);
    this.partitions = new Set(rows.map(({ key }) => key));
  }

  /** Those that wait behind nothing. */
  free(events: readonly LogEvent[]): readonly LogEvent[] {
    return events.filter((event) => !this.partitions.has(this.parts.events.partitionOf(event)));
  }

  /** Applies each alone, behind a savepoint, and parks the partition of what fails. Answers the partitions that it parked. */
  async applyEach(tx: HandlerTransaction, client: pg.PoolClient, events: readonly LogEvent[]): Promise<ReadonlySet<string>> {
    const { projection, schema, onParked } = this.parts;
    const stuck = new Map<string, Trouble>();
    for (const event of events) {
      const partition = this.parts.events.partitionOf(event);
      if (stuck.has(partition)) continue;
      await client.query('SAVEPOINT event');
      try {
        await tx.attend(projection.apply(event, tx));
        await tx.flush();
      } catch (error) {
        if (isTransientDatabaseError(error)) throw error;
        tx.forget();
        await client.query('ROLLBACK TO SAVEPOINT event');
        stuck.set(partition, this.trouble(event, partition, error));
      }
      await client.query('RELEASE SAVEPOINT event');
    }
    for (const trouble of stuck.values()) await park(client, schema, trouble);
    for (const partition of stuck.keys()) this.partitions.add(partition);
    for (const trouble of stuck.values()) onParked(trouble);
    return new Set(stuck.keys());
  }

  /** Applies what the partitions waited with that an operator asked to try again, from the event that stood in the way up to `until`. */
  async retry(until: number): Promise<void> {
    const { db, schema, events } = this.parts;
    const { rows } = await db.query<{ key: string; scope: string; n: string }>({
      name: 'projection_set_retries',
      text: 'SELECT key, scope, n FROM projection_parked WHERE schema = $1 AND retry',
      values: [schema],
    });
    if (rows.length > 0) await events.refresh();
    for (const { key, scope, n } of rows) {
      const waiting = await this.waiting(key, scope, Number(n), until);
      const isFree = await setTransaction(db, schema, async (tx, client) => {
        if ((await this.applyEach(tx, client, waiting)).has(key)) return false;
        await client.query('DELETE FROM public.projection_parked WHERE schema = $1 AND key = $2', [schema, key]);
        return true;
      });
      if (isFree) this.partitions.delete(key);
    }
  }

  /** A voided event that waits is passed over when its partition is tried again; one that was applied can only be taken out by a rebuild. */
  async heed(voiding: LogEvent): Promise<void> {
    const { log, db, schema, events } = this.parts;
    const n = events.voids(voiding) ?? -1;
    const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (event === undefined || !events.handles(event)) return;
    const { rowCount } = await db.query('UPDATE projection_parked SET retry = true WHERE schema = $1 AND n = $2', [schema, n]);
    if (rowCount !== 0) return;
    const { rowCount: waits } = await db.query('SELECT FROM projection_parked WHERE schema = $1 AND key = $2 AND n < $3', [
      schema,
      events.partitionOf(readable(event)),
      n,
    ]);
    if (waits === 0) await db.query('UPDATE projection SET rebuild = true WHERE schema = $1', [schema]);
  }

  private async waiting(partition: string, scope: string, from: number, until: number): Promise<readonly LogEvent[]> {
    const { log, events } = this.parts;
    const found: LogEvent[] = [];
    const isScope = partition === scope;
    for (let after = from - 1; after < until;) {
      const page = await log.read({ after, until, limit: 1_000, ...(isScope && { scope }) });
      found.push(...events.wanted(page).filter((event) => events.partitionOf(event) === partition));
      after = page.at(-1)?.n ?? until;
    }
    return found;
  }

  private trouble({ scope, n, id: eventId, type }: LogEvent, key: string, error: unknown): Trouble {
    return { view: this.parts.projection.name, key, scope, n, eventId, type, error: reasonOf(error) };
  }
}
