import type pg from 'pg';
import { isPassing } from '../../base/passing.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { BEGINNING, type Checkpoint, CheckpointMismatch, moveCheckpoint, Overtaken, readState, verifyCheckpoint } from './checkpoint.ts';
import { asToday } from './define-view.ts';
import type { Projection } from './define-projection.ts';
import { reasonOf, Unreadable } from './fold.ts';
import { park } from './parked-rows.ts';
import { OpenTx } from './projection-tx.ts';
import type { Trouble } from './row.ts';
import { inTransaction } from './unit-schema.ts';
import { type Reader, VoidedEvents, voidedPosition } from './voided.ts';

export const STATEMENT_MS = 10_000;

interface Ahead {
  readonly after: number;
  readonly limit: number;
  readonly until: number | undefined;
  readonly page: Promise<readonly LogEvent[]>;
}

/** Applies the log to the tables of one set projection, a batch and its checkpoint in one transaction. */
export class SetRunner {
  private at: Checkpoint = BEGINNING;
  private parked = new Set<string>();
  private ahead: Ahead | undefined;
  private readonly reader: Reader;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly projection: Projection,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly schema: string,
    private readonly onParked: (trouble: Trouble) => void = () => undefined,
  ) {
    this.reader = { name: projection.name, signature: String(projection.version) };
    this.voided = new VoidedEvents(log, this.reader);
  }

  get position(): number {
    return this.at.n;
  }

  async begin(): Promise<void> {
    const state = await readState(this.db, this.schema);
    if (state === null) throw new Error(`${this.schema} is not there`);
    await verifyCheckpoint(this.log, this.schema, state.checkpoint);
    await this.voided.refresh();
    const { rows } = await this.db.query<{ key: string }>('SELECT key FROM projection_parked WHERE schema = $1', [this.schema]);
    this.parked = new Set(rows.map(({ key }) => key));
    this.at = state.checkpoint;
    this.ahead = undefined;
  }

  /** One batch; the number of events that it took. */
  async step(limit: number, until?: number): Promise<number> {
    const events = await this.page(limit, until);
    const last = events.at(-1);
    if (last === undefined) return 0;
    if (last.n !== this.at.n + events.length) throw new CheckpointMismatch(`the log has a gap after ${String(this.at.n)}`);
    const voidings = events.filter((event) => voidedPosition(event, this.reader) !== null);
    if (voidings.length > 0) await this.voided.refresh();
    await this.apply(this.wanted(events), { n: last.n, eventId: last.id });
    for (const voiding of voidings) await this.heed(voiding);
    return events.length;
  }

  /** While there are many, the next page is read while one is applied. */
  private async page(limit: number, until: number | undefined): Promise<readonly LogEvent[]> {
    const read = (after: number): Promise<readonly LogEvent[]> => this.log.read({ after, limit, ...(until !== undefined && { until }) });
    const coming =
      this.ahead?.after === this.at.n && this.ahead.limit === limit && this.ahead.until === until ? this.ahead.page : read(this.at.n);
    this.ahead = undefined;
    const events = await coming;
    const last = events.at(-1);
    if (last === undefined || events.length < limit) return events;
    const page = read(last.n);
    // It may fail before anybody waits for it.
    page.catch(() => undefined);
    this.ahead = { after: last.n, limit, until, page };
    return events;
  }

  /** Applies what a parked partition waited with, from the event that stood in the way. */
  async retry(): Promise<void> {
    const { rows } = await this.db.query<{ key: string; scope: string; n: string }>({
      name: 'projection_set_retries',
      text: 'SELECT key, scope, n FROM projection_parked WHERE schema = $1 AND retry',
      values: [this.schema],
    });
    if (rows.length > 0) await this.voided.refresh();
    for (const { key, scope, n } of rows) {
      const waiting = await this.waiting(key, scope, Number(n));
      const trouble = await this.transaction(async (tx, client) => {
        const found = await this.oneByOne(tx, client, waiting, key);
        if (found === null) await client.query('DELETE FROM public.projection_parked WHERE schema = $1 AND key = $2', [this.schema, key]);
        return found;
      });
      if (trouble === null) this.parked.delete(key);
    }
  }

  private wanted(events: readonly LogEvent[]): readonly LogEvent[] {
    return events.filter(({ type, n }) => this.projection.handles.has(type) && !this.voided.has(n)).map(readable);
  }

  private async apply(events: readonly LogEvent[], to: Checkpoint): Promise<void> {
    const free = events.filter((event) => !this.parked.has(this.partitionOf(event)));
    try {
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        for (const event of free) await this.projection.apply(event, tx);
        await tx.flush();
      });
    } catch (error) {
      if (isPassing(error) || error instanceof Overtaken) throw error;
      // One of them cannot be taken: once more, each behind a savepoint, to find out which.
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        await this.oneByOne(tx, client, free, null);
      });
    }
    this.at = to;
  }

  /** Applies each alone and parks the partition of what fails. Answers the trouble of the partition that was asked for. */
  private async oneByOne(tx: OpenTx, client: pg.PoolClient, events: readonly LogEvent[], only: string | null): Promise<Trouble | null> {
    const stuck = new Map<string, Trouble>();
    for (const event of events) {
      const partition = this.partitionOf(event);
      if (stuck.has(partition)) continue;
      await client.query('SAVEPOINT event');
      try {
        await this.projection.apply(event, tx);
        await tx.flush();
      } catch (error) {
        if (isPassing(error)) throw error;
        tx.forget();
        await client.query('ROLLBACK TO SAVEPOINT event');
        stuck.set(partition, this.trouble(event, partition, error));
      }
      await client.query('RELEASE SAVEPOINT event');
    }
    for (const trouble of stuck.values()) await park(client, this.schema, trouble);
    for (const partition of stuck.keys()) this.parked.add(partition);
    for (const trouble of stuck.values()) this.onParked(trouble);
    return only === null ? null : (stuck.get(only) ?? null);
  }

  /** Nothing can wait behind an event of which nobody knows where it belongs. */
  private partitionOf(event: LogEvent): string {
    try {
      return this.projection.partition(event);
    } catch (cause) {
      throw new Unreadable(event, new Error(`"partition" of ${this.projection.name} threw ${reasonOf(cause)}`));
    }
  }

  private trouble(event: LogEvent, key: string, error: unknown): Trouble {
    const { scope, n, id: eventId, type } = event;
    return { view: this.projection.name, key, scope, n, eventId, type, error: reasonOf(error) };
  }

  private async waiting(partition: string, scope: string, from: number): Promise<readonly LogEvent[]> {
    const found: LogEvent[] = [];
    const isScope = partition === scope;
    for (let after = from - 1; after < this.at.n;) {
      const page = await this.log.read({ after, until: this.at.n, limit: 1_000, ...(isScope && { scope }) });
      found.push(...this.wanted(page).filter((event) => this.partitionOf(event) === partition));
      after = page.at(-1)?.n ?? this.at.n;
    }
    return found;
  }

  /** A voided event that waits is passed over when its partition is tried again; one that was applied can only be taken out by a rebuild. */
  private async heed(voiding: LogEvent): Promise<void> {
    const n = voidedPosition(voiding, this.reader) ?? -1;
    const [event] = await this.log.read({ after: n - 1, until: n, limit: 1 });
    if (event === undefined || !this.projection.handles.has(event.type)) return;
    const { rowCount } = await this.db.query('UPDATE projection_parked SET retry = true WHERE schema = $1 AND n = $2', [this.schema, n]);
    if (rowCount !== 0) return;
    const partition = this.partitionOf(readable(event));
    const { rowCount: waits } = await this.db.query('SELECT FROM projection_parked WHERE schema = $1 AND key = $2 AND n < $3', [
      this.schema,
      partition,
      n,
    ]);
    if (waits === 0) await this.db.query('UPDATE projection SET rebuild = true WHERE schema = $1', [this.schema]);
  }

  private transaction<T>(work: (tx: OpenTx, client: pg.PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.db, async (client) => {
      // Its own schema alone: a handler that names a table of somebody else by chance finds nothing.
      await client.query(`SET LOCAL search_path = "${this.schema}"; SET LOCAL statement_timeout = ${String(STATEMENT_MS)}`);
      const tx = new OpenTx(client);
      try {
        return await work(tx, client);
      } finally {
        tx.end();
      }
    });
  }
}

function readable(event: LogEvent): LogEvent {
  try {
    return asToday(event);
  } catch (cause) {
    throw new Unreadable(event, cause);
  }
}
