import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { HandlerTransaction } from '../authoring/projection-tx.ts';
import {
  BEGINNING,
  type Checkpoint,
  checkpointAfter,
  CheckpointMoved,
  moveCheckpoint,
  ProjectionStopped,
  readCheckpoint,
} from '../engine/checkpoint.ts';
import { type FillRateLimit, unthrottled } from '../engine/fill-rate-limit.ts';
import type { ProjectionRunner } from '../engine/lifecycle.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { PrefetchedPages } from '../engine/prefetched-pages.ts';
import { ParkedPartitions } from './parked-partitions.ts';
import { SetEvents } from './set-events.ts';
import { setTransaction } from './set-tables.ts';

const PAGE = 1_000;
/** Near the head of the log: a page in a transaction of its own, whose events are visible sooner. */
const LIVE_PAGE = 500;
const MAX_COUNTER_ROWS = 50_000;

/** Learns what is about to be applied, so that an event which ends the process is known after its end. */
export interface ApplyingWatch {
  /** Up to here each event is applied alone. */
  readonly oneByOneUntil: number;
  page(first: number, last: number): void;
  /** Begins `apply` when no other projection of the process applies an event alone. */
  alone<Result>(n: number, partition: string, apply: () => Promise<Result>): Promise<Result>;
}

const UNWATCHED: ApplyingWatch = { oneByOneUntil: -1, page: () => undefined, alone: (_n, _partition, apply) => apply() };

interface BatchOptions {
  readonly until: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onPage: (n: number) => void;
}

/** Applies the log to the tables of one set projection, each batch in one transaction with its checkpoint: exactly once. */
export class SetRunner implements ProjectionRunner {
  private at: Checkpoint = BEGINNING;
  private isBehind = true;
  /** Up to here a batch has failed: applied page by page, which finds the event. */
  private pageByPageUntil = -1;
  /** Events that were voided before this runner reached them: nothing of them has to be taken back. */
  private readonly skipped = new Set<number>();
  private readonly pages: PrefetchedPages;
  private readonly events: SetEvents;
  private readonly parked: ParkedPartitions;

  constructor(
    private readonly projection: Projection,
    private readonly log: LogReader,
    private readonly db: pg.Pool,
    private readonly schema: string,
    onParked: (parked: ParkedEvent) => void = () => undefined,
    private readonly rateLimit: FillRateLimit = unthrottled(),
    private readonly watch = UNWATCHED,
  ) {
    this.events = new SetEvents(projection, log);
    this.parked = new ParkedPartitions({ projection, events: this.events, log, db, schema, onParked });
    this.pages = new PrefetchedPages(log, rateLimit.pagesAhead);
  }

  get position(): number {
    return this.at.n;
  }

  get checkpoint(): Checkpoint {
    return this.at;
  }

  async begin(): Promise<void> {
    const checkpoint = await readCheckpoint(this.db, this.log, this.schema);
    await this.events.refresh();
    await this.parked.begin();
    this.at = checkpoint;
    this.skipped.clear();
    this.pages.discard();
  }

  async applyNext(signal?: AbortSignal): Promise<number> {
    if (this.isOneByOne) return this.applyPage(1);
    const applied = await (this.isBehind ? this.applyBatch(undefined, signal) : this.applyPage(LIVE_PAGE));
    this.isBehind = applied >= LIVE_PAGE;
    await yieldToOthers();
    return applied;
  }

  /** One page in one transaction; the number of its events. */
  async applyPage(limit: number, until?: number): Promise<number> {
    const events = await this.pages.next(this.at.n, limit, until);
    const to = checkpointAfter(events, this.at.n);
    if (to === null) return 0;
    const voidings = events.filter((event) => this.events.voids(event) !== null);
    if (voidings.length > 0) await this.events.refresh();
    // Before the checkpoint passes them: after a crash in between they are handled again.
    for (const voiding of voidings) if (this.isApplied(this.events.voids(voiding))) await this.parked.handleVoiding(voiding);
    await this.apply(this.applicable(events), to);
    return events.length;
  }

  /** Many pages in one transaction, while far behind the log; the number of their events, fewer than a page at the end. */
  async applyBatch(until?: number, signal?: AbortSignal): Promise<number> {
    if (this.isOneByOne) return this.applyPage(1, until);
    if (this.at.n < this.pageByPageUntil) return this.applyPage(PAGE, until);
    let reached = this.at.n;
    try {
      const to = await this.transaction(async (tx, client) => {
        // Handlers work on many pages between two statements, perhaps on a busy machine.
        await client.query(`SET LOCAL idle_in_transaction_session_timeout = '1min'`);
        return this.applyPages(tx, client, { until, signal, onPage: (n) => (reached = n) });
      });
      const applied = to.n - this.at.n;
      this.at = to;
      // Nothing: the end of the log, or a page with voidings, which applyPage handles.
      return applied === 0 ? await this.applyPage(PAGE, until) : applied;
    } catch (error) {
      this.pages.discard();
      if (isTransientDatabaseError(error) || error instanceof CheckpointMoved || error instanceof ProjectionStopped) throw error;
      this.pageByPageUntil = reached;
      return this.applyPage(PAGE, until);
    }
  }

  /** Tries the parked partitions again that an operator asked for. */
  retryParked(): Promise<void> {
    return this.parked.retry(this.at.n);
  }

  private async applyPages(tx: HandlerTransaction, client: pg.PoolClient, { until, signal, onPage }: BatchOptions): Promise<Checkpoint> {
    const { page, batchMs } = this.rateLimit;
    const startedAt = performance.now();
    let to = this.at;
    for (;;) {
      const events = await this.pages.next(to.n, page, until);
      this.rateLimit.startPage();
      const next = checkpointAfter(events, to.n);
      if (next === null) break;
      if (events.some((event) => this.events.voids(event) !== null)) {
        this.pages.putBack(to.n, events);
        break;
      }
      onPage(next.n);
      this.watch.page(to.n + 1, next.n);
      for (const event of this.applicable(events)) {
        const running = tx.run(this.projection.apply(event, tx));
        // A million promises that are fulfilled already would take a second.
        if (running !== undefined) await running;
      }
      to = next;
      if (tx.counterRows > MAX_COUNTER_ROWS) await tx.flush(this.rateLimit);
      if (events.length < page || performance.now() - startedAt > batchMs || signal?.aborted === true) break;
      await this.rateLimit.throttle();
    }
    await tx.flush(this.rateLimit);
    if (to.n > this.at.n) await moveCheckpoint(client, this.schema, this.at, to);
    return to;
  }

  /** Applied by this or an earlier runner, or waiting behind a parked event. */
  private isApplied(n: number | null): boolean {
    return n !== null && n <= this.at.n && !this.skipped.has(n);
  }

  private applicable(events: readonly LogEvent[]): readonly LogEvent[] {
    for (const event of events) if (this.events.isVoided(event)) this.skipped.add(event.n);
    return this.parked.withoutParked(this.events.wanted(events));
  }

  private get isOneByOne(): boolean {
    return this.at.n < this.watch.oneByOneUntil;
  }

  private async apply(events: readonly LogEvent[], to: Checkpoint): Promise<void> {
    const [event] = events;
    if (this.isOneByOne && event !== undefined) {
      await this.watch.alone(event.n, this.events.partitionOf(event), () => this.applyTogether(events, to));
      return;
    }
    this.watch.page(this.at.n + 1, to.n);
    await this.applyTogether(events, to);
  }

  private async applyTogether(events: readonly LogEvent[], to: Checkpoint): Promise<void> {
    try {
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        for (const event of events) await tx.run(this.projection.apply(event, tx));
        await tx.flush();
      });
    } catch (error) {
      if (isTransientDatabaseError(error) || error instanceof CheckpointMoved) throw error;
      // One event cannot be applied: each once more behind a savepoint, to find out which.
      await this.transaction(async (tx, client) => {
        await moveCheckpoint(client, this.schema, this.at, to);
        await this.parked.applyEach(tx, client, events);
      });
    }
    this.at = to;
  }

  private transaction<T>(work: (tx: HandlerTransaction, client: pg.PoolClient) => Promise<T>): Promise<T> {
    return setTransaction(this.db, this.schema, work);
  }
}
