import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';
import type { View } from '../authoring/define-view.ts';
import { type Checkpoint, checkpointAfter, moveCheckpoint, ProjectionStopped, readCheckpoint } from '../engine/checkpoint.ts';
import { copyJson, copyLines, copyText } from '../engine/copy.ts';
import { type FillRateLimit, unthrottled } from '../engine/fill-rate-limit.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { PrefetchedPages } from '../engine/prefetched-pages.ts';
import { VoidedEvents, voidedPosition } from '../engine/voided-events.ts';
import { FillMemory } from './fill-memory.ts';
import { foldEvent, type RowEvent, rowEventsOf } from './fold.ts';
import { columnText, columnValues, loadRows, type StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';
import { columnsOf, tableOf } from './view-tables.ts';

const MAX_HEAP_GROWTH = 256 * 1024 * 1024;
/** Below it the growth of the heap is not that of rows. */
const FEW_ROWS = 500;
const MAX_ROWS = 40_000;

/** A fill parks nothing: an event that is neither voided nor applicable ends it. */
export class EventNotApplicable extends ProjectionStopped {
  override readonly name = 'EventNotApplicable';

  constructor(readonly parkedEvent: ParkedEvent) {
    const { view, type, n, eventId, error } = parkedEvent;
    super(`${view} cannot apply ${type} at ${String(n)} (${eventId}): ${error}. Correct the view, or skip the event`);
  }
}

interface ChangedRows {
  readonly view: View;
  readonly fresh: readonly StoredRow[];
  readonly known: readonly StoredRow[];
}

/**
 * Fills the tables of a unit up to a position: folds in memory, writes sets by COPY, resumes where it was interrupted. Stops before an
 * `EventVoided` that concerns rows which are folded already: a runner has to take those back (`fillTo`).
 */
export class ViewBuilder {
  private readonly voided: VoidedEvents;
  private memories = new Map<View, FillMemory>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: LogReader,
    private readonly db: pg.Pool,
    private readonly schema: string,
    private readonly rateLimit: FillRateLimit = unthrottled(),
    private readonly maxRows = MAX_ROWS,
  ) {
    this.voided = new VoidedEvents(log, unit);
  }

  /** Resolves with the position that it reached. */
  async fill(until: number, signal: AbortSignal, progress: (n: number) => void = () => undefined): Promise<number> {
    const checkpoint = await readCheckpoint(this.db, this.log, this.schema);
    await this.voided.refresh();
    this.memories = new Map(this.unit.views.map((view) => [view, new FillMemory(view, checkpoint.n >= 0)]));
    this.writing = Promise.resolve();
    try {
      return await this.fillFrom(checkpoint, until, signal, progress);
    } finally {
      // The next attempt starts from the tables, so no write may be under way.
      await this.writing.catch(() => undefined);
    }
  }

  private async fillFrom(from: Checkpoint, until: number, signal: AbortSignal, progress: (n: number) => void): Promise<number> {
    const heapAtStart = process.memoryUsage().heapUsed;
    const pages = new PrefetchedPages(this.log, this.rateLimit.pagesAhead);
    let written = from;
    let at = from;
    while (at.n < until && !signal.aborted) {
      const page = await pages.next(at.n, this.rateLimit.page, until);
      checkpointAfter(page, at.n);
      this.rateLimit.startPage();
      const events = this.upToLateVoiding(page, from.n);
      await this.foldPage(events);
      const last = events.at(-1);
      if (last === undefined) break;
      at = { n: last.n, eventId: last.id };
      if (this.isFull(heapAtStart)) {
        await this.flush(written, at);
        written = at;
      }
      progress(at.n);
      if (events.length < page.length) break;
      await this.rateLimit.throttle();
    }
    if (at.n > written.n) await this.flush(written, at);
    await this.writing;
    return at.n;
  }

  /** Events that were voided before this fill began are skipped from the start; for those voided since, the fill stops. */
  private upToLateVoiding(events: readonly LogEvent[], from: number): readonly LogEvent[] {
    const late = events.findIndex((event) => {
      const n = voidedPosition(event, this.unit);
      return n !== null && (n <= from || !this.voided.has(n));
    });
    return late === -1 ? events : events.slice(0, late);
  }

  /** Rows of a view that packs much into each would fill the memory long before their number does. */
  private isFull(heapAtStart: number): boolean {
    let rows = 0;
    for (const memory of this.memories.values()) rows += memory.size;
    return rows >= this.maxRows || (rows >= FEW_ROWS && process.memoryUsage().heapUsed - heapAtStart > MAX_HEAP_GROWTH);
  }

  private async foldPage(events: readonly LogEvent[]): Promise<void> {
    const rowEvents: RowEvent[] = [];
    const missing = new Map<View, Set<string>>();
    for (const event of events) {
      if (this.voided.has(event.n)) continue;
      for (const rowEvent of rowEventsOf(this.unit, event)) {
        rowEvents.push(rowEvent);
        if (this.memories.get(rowEvent.view)?.mustLoad(rowEvent.key) !== true) continue;
        missing.set(rowEvent.view, (missing.get(rowEvent.view) ?? new Set()).add(rowEvent.key));
      }
    }
    for (const { view, stored } of await loadRows(this.db, this.schema, missing)) this.memories.get(view)?.addLoaded(stored);
    for (const [view, keys] of missing) this.memories.get(view)?.noteAbsent(keys);
    for (const rowEvent of rowEvents) {
      const memory = this.memories.get(rowEvent.view);
      const known = memory?.get(rowEvent.key);
      // Its events wait in the log until an operator has it retried.
      if (known?.parked === true) continue;
      const folded = foldEvent(rowEvent, known);
      if (folded.kind === 'parked') throw new EventNotApplicable(folded.parkedEvent);
      if (folded.kind === 'changed') memory?.put(folded.stored);
    }
  }

  /** Folding continues while the rows are written; one set is written at a time. */
  private async flush(from: Checkpoint, to: Checkpoint): Promise<void> {
    await this.writing;
    const sets = [...this.memories.values()].map((memory) => ({ view: memory.view, ...memory.takeChanged() }));
    this.writing = this.write(sets, from, to);
    this.writing.catch(() => undefined);
  }

  private async write(sets: readonly ChangedRows[], from: Checkpoint, to: Checkpoint): Promise<void> {
    const client = await this.db.connect();
    try {
      await client.query('BEGIN; SET LOCAL statement_timeout = 0');
      // First: another runner may have written the same rows, and would be taken for a broken table.
      await moveCheckpoint(client, this.schema, from, to);
      for (const { view, fresh, known } of sets) {
        if (fresh.length > 0) await copyLines(client, tableOf(this.schema, view), columnNames(view), lines(view, fresh), this.rateLimit);
        if (known.length > 0) await this.upsert(client, view, known);
      }
      await client.query('COMMIT');
      client.release();
    } catch (cause) {
      // Destroyed: its transaction may still be open.
      client.release(true);
      throw cause;
    }
  }

  private async upsert(client: pg.PoolClient, view: View, rows: readonly StoredRow[]): Promise<void> {
    const names = columnNames(view);
    const updates = names.slice(2).map((name) => `${name} = excluded.${name}`);
    await client.query(
      `CREATE TEMP TABLE fill ON COMMIT DROP AS SELECT ${names.join(', ')} FROM ${tableOf(this.schema, view)} WITH NO DATA`,
    );
    await copyLines(client, 'fill', names, lines(view, rows), this.rateLimit);
    await client.query(
      `INSERT INTO ${tableOf(this.schema, view)} (${names.join(', ')}) SELECT * FROM fill ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`,
    );
    await client.query('DROP TABLE fill');
  }
}

const columnNames = (view: View): readonly string[] => ['key', 'scope', 'n', 'doc', ...columnsOf(view).map(([name]) => `"${name}"`)];

function* lines(view: View, rows: readonly StoredRow[]): Generator<string> {
  const nulls = columnsOf(view).map(() => null);
  for (const { key, scope, n, row } of rows) {
    const values = row === null ? nulls : columnValues(view, row);
    const cells = values.map((value) => `\t${copyText(columnText(value))}`).join('');
    yield `${copyText(key)}\t${scope}\t${String(n)}\t${copyJson(row)}${cells}\n`;
  }
}
