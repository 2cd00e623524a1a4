import type pg from 'pg';
import { LogDamaged } from '../../event-store/lazy-event.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { HandlerTransaction } from '../authoring/projection-tx.ts';
import { park, type ParkedEvent, parkedEventOf, readable, requestedRetries, unpark } from '../engine/parked-events.ts';
import type { SetEvents } from './set-events.ts';
import { setTransaction } from './set-tables.ts';

export interface ParkedPartitionsOptions {
  readonly projection: Projection;
  readonly events: SetEvents;
  readonly log: LogReader;
  readonly db: pg.Pool;
  readonly schema: string;
  readonly onParked: (parked: ParkedEvent) => void;
}

/** Dead letters per partition: the partitions that wait behind an event which could not be applied. Their later events wait in the log. */
export class ParkedPartitions {
  private partitions = new Set<string>();

  constructor(private readonly options: ParkedPartitionsOptions) {}

  async begin(): Promise<void> {
    const { db, schema } = this.options;
    const { rows } = await db.query<{ key: string }>('SELECT key FROM projection_parked WHERE schema = $1', [schema]);
    this.partitions = new Set(rows.map(({ key }) => key));
  }

  withoutParked(events: readonly LogEvent[]): readonly LogEvent[] {
    return events.filter((event) => !this.partitions.has(this.options.events.partitionOf(event)));
  }

  /** Applies each event behind a savepoint and parks the partition of one that fails; answers the partitions that it parked. */
  async applyEach(tx: HandlerTransaction, client: pg.PoolClient, events: readonly LogEvent[]): Promise<ReadonlySet<string>> {
    const { projection, schema, onParked } = this.options;
    const parked = new Map<string, ParkedEvent>();
    for (const event of events) {
      const partition = this.options.events.partitionOf(event);
      if (parked.has(partition)) continue;
      await client.query('SAVEPOINT event');
      try {
        await tx.run(projection.apply(event, tx));
        await tx.flush();
      } catch (error) {
        if (isTransientDatabaseError(error) || error instanceof LogDamaged) throw error;
        tx.discard();
        await client.query('ROLLBACK TO SAVEPOINT event');
        parked.set(partition, parkedEventOf(projection.name, partition, event, error));
      }
      await client.query('RELEASE SAVEPOINT event');
    }
    for (const event of parked.values()) await park(client, schema, event);
    for (const partition of parked.keys()) this.partitions.add(partition);
    for (const event of parked.values()) onParked(event);
    return new Set(parked.keys());
  }

  /** For each partition that an operator asked to retry: applies the parked event and those behind it, up to `until`. */
  async retry(until: number): Promise<void> {
    const { projection, db, schema, events } = this.options;
    const retries = await requestedRetries(db, schema);
    if (retries.length > 0) await events.refresh();
    for (const { key, scope, n } of retries) {
      const waiting = await this.waitingEvents(key, scope, n, until);
      const isReleased = await setTransaction(db, schema, async (tx, client) => {
        if ((await this.applyEach(tx, client, waiting)).has(key)) return false;
        await unpark(client, schema, projection.name, key);
        return true;
      });
      if (isReleased) this.partitions.delete(key);
    }
  }

  /** The voided event is skipped when its parked partition is retried; if it was applied, only a rebuild takes it out of the tables. */
  async handleVoiding(voiding: LogEvent): Promise<void> {
    const { log, db, schema, events } = this.options;
    const n = events.voids(voiding) ?? -1;
    const [event] = await log.read({ after: n - 1, until: n, limit: 1 });
    if (event === undefined || !events.handles(event)) return;
    const { rowCount } = await db.query('UPDATE projection_parked SET retry = true WHERE schema = $1 AND n = $2', [schema, n]);
    if (rowCount !== 0) return;
    const { rowCount: waiting } = await db.query('SELECT FROM projection_parked WHERE schema = $1 AND key = $2 AND n < $3', [
      ...[schema, events.partitionOf(readable(event)), n],
    ]);
    if (waiting === 0) await db.query('UPDATE projection SET rebuild = true WHERE schema = $1', [schema]);
  }

  private async waitingEvents(partition: string, scope: string, from: number, until: number): Promise<readonly LogEvent[]> {
    const { log, events } = this.options;
    const found: LogEvent[] = [];
    const isScope = partition === scope;
    for (let after = from - 1; after < until;) {
      const page = await log.read({ after, until, limit: 1_000, ...(isScope && { scope }) });
      found.push(...events.wanted(page).filter((event) => events.partitionOf(event) === partition));
      after = page.at(-1)?.n ?? until;
    }
    return found;
  }
}
