import type pg from 'pg';
import { isPassing } from '../../base/passing.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { BEGINNING, type Checkpoint, CheckpointMismatch, moveCheckpoint, Overtaken, readState, verifyCheckpoint } from './checkpoint.ts';
import { asToday } from './define-view.ts';
import type { Projection } from './define-projection.ts';
import { reasonOf, Unreadable } from './fold.ts';
import { fullPace, type Pace } from './pace.ts';
import { PagesAhead } from './pages-ahead.ts';
import { park } from './parked-rows.ts';
import { OpenTx } from './projection-tx.ts';
import type { Trouble } from './row.ts';
import { inTransaction } from './unit-schema.ts';
import { type Reader, VoidedEvents, voidedPosition } from './voided.ts';

export const STATEMENT_MS = 10_000;

/** Fewer than this say that the end is near. */
export const PAGE = 1_000;
const PAGES_AHEAD = 4;
/** Long enough that counters are summed up over many pages, short enough that a stop or a pause is soon heeded. */
const STRIDE_MS = 1_000;
const ROWS_IN_HAND = 50_000;

/** Applies the log to the tables of one set projection, a batch and its checkpoint in one transaction. */
export class SetRunner {
  private at: Checkpoint = BEGINNING;
  private parked = new Set<string>();
  /** Up to here a stride has failed: gone page by page, which finds the event. */
  private careful = -1;
  private readonly pages: PagesAhead;
  private readonly reader: Reader;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly projection: Projection,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly schema: string,
    private readonly onParked: (trouble: Trouble) => void = () => undefined,
    private readonly pace: Pace = fullPace(),
  ) {
    this.reader = { name: projection.name, signature: String(projection.version) };
    this.voided = new VoidedEvents(log, this.reader);
    this.pages = new PagesAhead(log, PAGES_AHEAD);
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
    this.pages.forget();
  }

  /** One batch; the number of events that it took. */
  async step(limit: number, until?: number): Promise<number> {
    const events = await this.pages.next(this.at.n, limit, until);
    const last = events.at(-1);
    if (last === undefined) return 0;
    if (last.n !== this.at.n + events.length) throw new CheckpointMismatch(`the log has a gap after ${String(this.at.n)}`);
    const voidings = events.filter((event) => voidedPosition(event, this.reader) !== null);
    if (voidings.length > 0) await this.voided.refresh();
    await this.apply(this.wanted(events), { n: last.n, eventId: last.id });
    for (const voiding of voidings) await this.heed(voiding);
    return events.length;
  }

  /** Many pages in one transaction, for whoever is far behind; the number of events that it took, fewer than a page at the end. */
  async stride(until?: number): Promise<number> {
    if (this.at.n < this.careful) return this.step(PAGE, until);
    let seen = this.at.n;
    try {
      const to = await this.transaction(async (tx, client) => {
        // Between two statements stands the work on many pages, on a machine that may be busy.
        await client.query(`SET LOCAL idle_in_transaction_session_timeout = '1min'`);
        return this.manyPages(tx, client, until, (n) => (seen = n));
      });
      const taken = to.n - this.at.n;
      this.at = to;
      // Nothing: the end, or a page that a step has to look at.
      return taken === 0 ? await this.step(PAGE, until) : taken;
    } catch (error) {
      this.pages.forget();
      if (isPassing(error) || error instanceof Overtaken || error instanceof CheckpointMismatch || error instanceof Unreadable) throw error;
      this.careful = seen;
      return this.step(PAGE, until);
    }
  }

  private async manyPages(tx: OpenTx, client: pg.PoolClient, until: number | undefined, sees: (n: number) => void): Promise<Checkpoint> {
    const began = performance.now();
    let to = this.at;
    for (;;) {
      const events = await this.pages.next(to.n, this.pace.page, until);
      this.pace.begin();
      const last = events.at(-1);
      if (last === undefined) break;
      if (last.n !== to.n + events.length) throw new CheckpointMismatch(`the log has a gap after ${String(to.n)}`);
      if (events.some((event) => voidedPosition(event, this.reader) !== null)) {
        this.pages.putBack(to.n, events);
        break;
      }
      sees(last.n);
      for (const event of this.free(this.wanted(events))) await tx.attend(this.projection.apply(event, tx));
      to = { n: last.n, eventId: last.id };
      if (tx.rowsInHand > ROWS_IN_HAND) await tx.flush();
      if (events.length < this.pace.page || performance.now() - began > STRIDE_MS) break;
      await this.pace.breathe();
    }
    await tx.flush();
    if (to.n > this.at.n) await moveCheckpoint(client, this.schema, this.at, to);
    return to;
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

  private free(events: readonly LogEvent[]): readonly LogEvent[] {
    return events.filter((event) => !this.parked.has(this.partitionOf(event)));
  }

  private async apply(events: readonly LogEvent[], to: Checkpoint): Promise<void> {
    const free = this.free(events);
    try {
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        for (const event of free) await tx.attend(this.projection.apply(event, tx));
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
        await tx.attend(this.projection.apply(event, tx));
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
