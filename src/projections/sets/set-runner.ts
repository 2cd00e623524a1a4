import type pg from 'pg';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import {
  BEGINNING,
  type Checkpoint,
  CheckpointMismatch,
  moveCheckpoint,
  CheckpointMoved,
  readState,
  verifyCheckpoint,
} from '../engine/checkpoint.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { Unreadable } from '../views/fold.ts';
import { unthrottled, type FillRateLimit } from '../engine/fill-rate-limit.ts';
import { PagesAhead } from '../engine/pages-ahead.ts';
import { ParkedPartitions } from './parked-partitions.ts';
import type { HandlerTransaction } from '../authoring/projection-tx.ts';
import type { Trouble } from '../views/row.ts';
import { SetEvents } from './set-events.ts';
import { setTransaction } from './set-transaction.ts';

/** Fewer than this say that the end is near. */
export const PAGE = 1_000;
const ROWS_IN_HAND = 50_000;

/** Applies the log to the tables of one set projection, a batch and its checkpoint in one transaction. */
export class SetRunner {
  private at: Checkpoint = BEGINNING;
  /** Up to here a stride has failed: gone page by page, which finds the event. */
  private careful = -1;
  /** What was voided before this runner came to it: of that nothing has to be taken out again. */
  private readonly passedOver = new Set<number>();
  private readonly pages: PagesAhead;
  private readonly events: SetEvents;
  private readonly parked: ParkedPartitions;

  constructor(
    private readonly projection: Projection,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly schema: string,
    onParked: (trouble: Trouble) => void = () => undefined,
    private readonly pace: FillRateLimit = unthrottled(),
  ) {
    this.events = new SetEvents(projection, log);
    this.parked = new ParkedPartitions({ projection, events: this.events, log, db, schema, onParked });
    this.pages = new PagesAhead(log, pace.pagesAhead);
  }

  get position(): number {
    return this.at.n;
  }

  get checkpoint(): Checkpoint {
    return this.at;
  }

  async begin(): Promise<void> {
    const state = await readState(this.db, this.schema);
    if (state === null) throw new Error(`${this.schema} is not there`);
    await verifyCheckpoint(this.log, this.schema, state.checkpoint);
    await this.events.refresh();
    await this.parked.begin();
    this.at = state.checkpoint;
    this.passedOver.clear();
    this.pages.forget();
  }

  /** One batch; the number of events that it took. */
  async step(limit: number, until?: number): Promise<number> {
    const events = await this.pages.next(this.at.n, limit, until);
    const last = events.at(-1);
    if (last === undefined) return 0;
    if (last.n !== this.at.n + events.length) throw new CheckpointMismatch(`the log has a gap after ${String(this.at.n)}`);
    const voidings = events.filter((event) => this.events.voids(event) !== null);
    if (voidings.length > 0) await this.events.refresh();
    // Before the checkpoint passes them: whoever dies in between looks at them again.
    for (const voiding of voidings) if (this.isTaken(this.events.voids(voiding))) await this.parked.heed(voiding);
    await this.apply(this.free(events), { n: last.n, eventId: last.id });
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
      if (
        isTransientDatabaseError(error) ||
        error instanceof CheckpointMoved ||
        error instanceof CheckpointMismatch ||
        error instanceof Unreadable
      )
        throw error;
      this.careful = seen;
      return this.step(PAGE, until);
    }
  }

  private async manyPages(
    tx: HandlerTransaction,
    client: pg.PoolClient,
    until: number | undefined,
    sees: (n: number) => void,
  ): Promise<Checkpoint> {
    const began = performance.now();
    let to = this.at;
    for (;;) {
      const events = await this.pages.next(to.n, this.pace.page, until);
      this.pace.begin();
      const last = events.at(-1);
      if (last === undefined) break;
      if (last.n !== to.n + events.length) throw new CheckpointMismatch(`the log has a gap after ${String(to.n)}`);
      if (events.some((event) => this.events.voids(event) !== null)) {
        this.pages.putBack(to.n, events);
        break;
      }
      sees(last.n);
      for (const event of this.free(events)) await tx.attend(this.projection.apply(event, tx));
      to = { n: last.n, eventId: last.id };
      if (tx.rowsInHand > ROWS_IN_HAND) await tx.flush(this.pace.rowsAtOnce);
      if (events.length < this.pace.page || performance.now() - began > this.pace.strideMs) break;
      await this.pace.breathe();
    }
    await tx.flush(this.pace.rowsAtOnce);
    if (to.n > this.at.n) await moveCheckpoint(client, this.schema, this.at, to);
    return to;
  }

  /** Applies what parked partitions waited with, those that an operator asked to try again. */
  retry(): Promise<void> {
    return this.parked.retry(this.at.n);
  }

  /** Applied, by whomever, or waiting. */
  private isTaken(n: number | null): boolean {
    return n !== null && n <= this.at.n && !this.passedOver.has(n);
  }

  private free(events: readonly LogEvent[]): readonly LogEvent[] {
    for (const event of events) if (this.events.isVoided(event)) this.passedOver.add(event.n);
    return this.parked.free(this.events.wanted(events));
  }

  private async apply(free: readonly LogEvent[], to: Checkpoint): Promise<void> {
    try {
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        for (const event of free) await tx.attend(this.projection.apply(event, tx));
        await tx.flush();
      });
    } catch (error) {
      if (isTransientDatabaseError(error) || error instanceof CheckpointMoved) throw error;
      // One of them cannot be taken: once more, each behind a savepoint, to find out which.
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        await this.parked.applyEach(tx, client, free);
      });
    }
    this.at = to;
  }

  private transaction<T>(work: (tx: HandlerTransaction, client: pg.PoolClient) => Promise<T>): Promise<T> {
    return setTransaction(this.db, this.schema, work);
  }
}
