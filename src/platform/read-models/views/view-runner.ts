import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import { startBatch, endWith, noTracer, type Tracer } from '../../../kernel/tracer.ts';
import type { LogReader, OwnAppends } from '../../log/log.ts';
import { BEGINNING, type Checkpoint, checkpointAfter, CheckpointMoved, readCheckpoint } from '../engine/checkpoint.ts';
import type { ProjectionRunner } from '../engine/lifecycle.ts';
import { forgetUnreadable, type ParkedEvent, requestedRetries, UnreadableEvent } from '../engine/parked-events.ts';
import { VoidedEvents, voidedPosition } from '../engine/voided-events.ts';
import type { RowEvent } from './fold.ts';
import { refold, rowsOfVoided, type ScopedRow } from './refold.ts';
import { RowCache } from './row-cache.ts';
import { loadRows } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';
import { addRow, rowEventsOfPage, rowsOfBatch, ViewBatch } from './view-batch.ts';
import { EventNotApplicable, ViewBuilder } from './view-builder.ts';
import { ViewWriter } from './view-writer.ts';

const PAGE = 1_000;
/** From here on it pays to gather rows over many pages. */
const FAR_BEHIND = 5_000;
/** After this time a step of catching up ends, so that operators are heard. */
const CATCH_UP_MS = 5_000;

export interface ViewRunnerOptions {
  /** What this process appended to the log, which need not be read from it. */
  readonly recent?: OwnAppends;
  /** After an event was parked. */
  readonly onParked?: (parked: ParkedEvent) => void;
  /** Before an event is parked: throws to prevent it, and nothing is written. */
  readonly beforePark?: (parked: ParkedEvent) => void;
  readonly tracer?: Tracer;
}

/**
 * Applies the log to the tables of a unit of views: page by page, and as a first fill does while it is far behind (docs/decisions/projections.md).
 */
export class ViewRunner implements ProjectionRunner {
  private at: Checkpoint = BEGINNING;
  private hasApplied = false;
  private isFarBehind = false;
  /** Up to here only a page at a time finds the event that stands in the way. */
  private pageByPageUntil = -1;
  private readonly writer: ViewWriter;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: LogReader,
    private readonly db: pg.Pool,
    private readonly options: ViewRunnerOptions = {},
    private readonly schema: string = unit.schema,
    private readonly cache = new RowCache(),
  ) {
    this.writer = new ViewWriter(schema, unit.views);
    this.voided = new VoidedEvents(log, unit);
  }

  get position(): number {
    return this.at.n;
  }

  get checkpoint(): Checkpoint {
    return this.at;
  }

  async begin(): Promise<void> {
    this.cache.clear();
    // The log may have lost it in a failover.
    this.options.recent?.clear();
    this.hasApplied = false;
    const checkpoint = await readCheckpoint(this.db, this.log, this.schema);
    await this.voided.refresh();
    this.at = checkpoint;
    await this.lookAhead();
  }

  async applyNext(signal: AbortSignal): Promise<number> {
    const applied = this.isFarBehind ? await this.catchUp(signal) : await this.applyPage();
    if (applied >= PAGE || this.isFarBehind) await this.lookAhead();
    // An unreadable event stopped the runner before; it would have stopped it again.
    if (applied > 0 && !this.hasApplied) await forgetUnreadable(this.db, this.schema);
    this.hasApplied = true;
    return applied;
  }

  private async lookAhead(): Promise<void> {
    this.isFarBehind = this.at.n >= this.pageByPageUntil && (await this.log.head()) - this.at.n > FAR_BEHIND;
  }

  /** Parks nothing and takes nothing back: at an event that needs it, a page is applied instead. */
  private async catchUp(signal: AbortSignal): Promise<number> {
    const from = this.at.n;
    this.cache.clear();
    const builder = new ViewBuilder(this.unit, this.log, this.db, this.schema);
    try {
      await builder.fill(await this.log.head(), AbortSignal.any([signal, AbortSignal.timeout(CATCH_UP_MS)]));
    } catch (error) {
      if (error instanceof EventNotApplicable) this.pageByPageUntil = error.parkedEvent.n;
      else if (error instanceof UnreadableEvent) this.pageByPageUntil = error.event.n;
      else throw error;
    }
    this.at = await readCheckpoint(this.db, this.log, this.schema);
    const applied = this.at.n - from;
    return applied > 0 || signal.aborted ? applied : this.applyPage();
  }

  /** One page in one transaction; the number of its events. */
  async applyPage(limit = PAGE, until?: number): Promise<number> {
    const events = await this.nextEvents(limit, until);
    const to = checkpointAfter(events, this.at.n);
    if (to === null) return 0;
    const { tracer = noTracer } = this.options;
    await endWith(startBatch(tracer, `project ${this.unit.name}`, events), this.apply(events, to));
    return events.length;
  }

  private async apply(events: readonly LogEvent[], to: Checkpoint): Promise<void> {
    const voidsEvents = events.some((event) => voidedPosition(event, this.unit) !== null);
    if (voidsEvents) await this.voided.refresh();
    const batch = await this.fold(events);
    if (voidsEvents) for (const row of await rowsOfVoided(this.log, this.unit, events)) await this.refold(batch, row, to.n);
    await this.write(batch, to);
  }

  private async nextEvents(limit: number, until: number | undefined): Promise<readonly LogEvent[]> {
    const appended = until === undefined ? (this.options.recent?.after(this.at.n) ?? []) : [];
    if (appended.length > 0) return appended.slice(0, limit);
    return this.log.read({ after: this.at.n, limit, ...(until !== undefined && { until }) });
  }

  async retryParked(): Promise<void> {
    const retries = await requestedRetries(this.db, this.schema);
    const rows = retries.flatMap(({ view: name, key, scope }): readonly ScopedRow[] => {
      const view = this.unit.views.find((candidate) => candidate.name === name);
      return view === undefined ? [] : [{ view, key, scope }];
    });
    if (rows.length === 0) return;
    await this.voided.refresh();
    const batch = new ViewBatch();
    for (const row of rows) await this.refold(batch, row, this.at.n);
    await this.write(batch, this.at);
  }

  private async fold(events: readonly LogEvent[]): Promise<ViewBatch> {
    const rowEvents = await this.rowEvents(events);
    const { cached: rows, missing } = rowsOfBatch(rowEvents, this.cache);
    for (const { view, stored, size } of await loadRows(this.db, this.schema, missing)) {
      addRow(rows, view, stored);
      this.cache.set(view, stored, size);
    }
    return new ViewBatch().fold(rowEvents, (view, key) => rows.get(view)?.get(key));
  }

  /** An unreadable event may have been voided by a later one: tries once more with all voided events. */
  private async rowEvents(events: readonly LogEvent[]): Promise<readonly RowEvent[]> {
    const isVoided = (n: number): boolean => this.voided.has(n);
    try {
      return rowEventsOfPage(this.unit, events, isVoided);
    } catch {
      await this.voided.refresh();
      return rowEventsOfPage(this.unit, events, isVoided);
    }
  }

  private async refold(batch: ViewBatch, { scope, view, key }: ScopedRow, until: number): Promise<void> {
    const { stored, parkedEvent } = await refold(this.log, this.voided, { view, key }, scope, until);
    batch.replace({ view, key }, stored, parkedEvent);
  }

  private async write(batch: ViewBatch, to: Checkpoint): Promise<void> {
    for (const parked of batch.parkedEvents) this.options.beforePark?.(parked);
    try {
      const isWritten = batch.isPlain
        ? await this.writer.write(this.db, batch.changes, this.at, to)
        : await this.writeWithParked(batch, to);
      if (!isWritten) throw new CheckpointMoved(this.schema, this.at.n);
    } catch (cause) {
      // It may have been committed: only the tables know.
      this.cache.clear();
      throw cause;
    }
    for (const [view, rows] of batch.changes) for (const stored of rows.values()) this.cache.set(view, stored, this.writer.sizeOf(stored));
    for (const { view, key } of batch.removed) this.cache.delete(view, key);
    this.at = to;
    for (const parked of batch.parkedEvents) this.options.onParked?.(parked);
  }

  private async writeWithParked(batch: ViewBatch, to: Checkpoint): Promise<boolean> {
    const client = await this.db.connect();
    try {
      await client.query('BEGIN');
      const isWritten = await this.writer.write(client, batch.changes, this.at, to);
      if (isWritten) await batch.writeParked(client, this.schema);
      await client.query(isWritten ? 'COMMIT' : 'ROLLBACK');
      client.release();
      return isWritten;
    } catch (cause) {
      // Destroyed: its transaction may still be open.
      client.release(true);
      throw cause;
    }
  }
}
