import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { type Checkpoint, CheckpointMismatch, moveCheckpoint, readState, verifyCheckpoint } from '../engine/checkpoint.ts';
import { copyLines, copyJson, copyText } from '../engine/copy.ts';
import type { View } from '../authoring/define-view.ts';
import { FillMemory } from './fill-memory.ts';
import { foldOne, type Touch, touches } from './fold.ts';
import { asText, extrasOf } from './row-values.ts';
import { loadRows } from './row-cache.ts';
import { unthrottled, type FillRateLimit } from '../engine/fill-rate-limit.ts';
import { PagesAhead } from '../engine/pages-ahead.ts';
import type { StoredRow, Trouble } from './row.ts';
import type { ViewUnit } from './unit.ts';
import { columnsOf, tableOf } from './view-tables.ts';
import { VoidedEvents, voidedPosition } from '../engine/voided-events.ts';

const HEAP_BYTES = 256 * 1024 * 1024;
const FEW_ROWS = 500;
const ROWS_IN_HAND = 40_000;

/** A rebuild never guesses: an event that is neither voided nor foldable ends it. */
export class EventNotApplicable extends Error {
  override readonly name = 'EventNotApplicable';

  constructor(readonly trouble: Trouble) {
    const { view, type, n, eventId, error } = trouble;
    super(`${view} cannot take ${type} at ${String(n)} (${eventId}): ${error}. Mend the view, or skip the event`);
  }
}

/**
 * Fills the tables of a unit with everything up to an instant: folds in memory, writes sets by COPY, goes on where it was interrupted.
 * Stops short of a voiding that concerns rows which it has folded already; those are for a runner (`fillTo`).
 */
export class ViewBuilder {
  private readonly voided: VoidedEvents;
  private memories = new Map<View, FillMemory>();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly schema: string,
    private readonly pace: FillRateLimit = unthrottled(),
    private readonly rowsInHand = ROWS_IN_HAND,
  ) {
    this.voided = new VoidedEvents(log, unit);
  }

  /** Answers the position that it reached. */
  async fill(until: number, signal: AbortSignal, progress: (n: number) => void = () => undefined): Promise<number> {
    const state = await readState(this.db, this.schema);
    if (state === null) throw new Error(`${this.schema} is not there`);
    await verifyCheckpoint(this.log, this.schema, state.checkpoint);
    await this.voided.refresh();
    this.memories = new Map(this.unit.views.map((view) => [view, new FillMemory(view, state.checkpoint.n >= 0)]));
    this.writing = Promise.resolve();
    try {
      return await this.run(state.checkpoint, until, signal, progress);
    } finally {
      // Whoever tries again has to find the last set written, or not.
      await this.writing.catch(() => undefined);
    }
  }

  private async run(from: Checkpoint, until: number, signal: AbortSignal, progress: (n: number) => void): Promise<number> {
    const heap = process.memoryUsage().heapUsed;
    let written = from;
    let at = from;
    for await (const page of this.pages(at.n, until, signal)) {
      this.pace.begin();
      const events = this.upToLateVoiding(page, from.n);
      await this.take(events);
      const last = events.at(-1);
      if (last === undefined) break;
      at = { n: last.n, eventId: last.id };
      if (this.isFull(heap)) {
        await this.flush(written, at);
        written = at;
      }
      progress(at.n);
      if (events.length < page.length) break;
      await this.pace.breathe();
    }
    if (at.n > written.n) await this.flush(written, at);
    await this.writing;
    return at.n;
  }

  /** What was voided before this filling began is passed over from the start; what is voided since, or was filled earlier, is not. */
  private upToLateVoiding(events: readonly LogEvent[], from: number): readonly LogEvent[] {
    const late = events.findIndex((event) => {
      const n = voidedPosition(event, this.unit);
      return n !== null && (n <= from || !this.voided.has(n));
    });
    return late === -1 ? events : events.slice(0, late);
  }

  private async *pages(after: number, until: number, signal: AbortSignal): AsyncGenerator<readonly LogEvent[]> {
    const pages = new PagesAhead(this.log, this.pace.pagesAhead);
    for (let from = after; from < until && !signal.aborted;) {
      const events = await pages.next(from, this.pace.page, until);
      const last = events.at(-1);
      if (last === undefined) return;
      if (last.n !== from + events.length) throw new CheckpointMismatch(`the log has a gap between ${String(from)} and ${String(last.n)}`);
      from = last.n;
      yield events;
    }
  }

  private inHand(): number {
    let rows = 0;
    for (const memory of this.memories.values()) rows += memory.size;
    return rows;
  }

  /** Rows of a view that packs much into each would fill the memory long before they are many. */
  private isFull(heapBefore: number): boolean {
    const rows = this.inHand();
    return rows >= this.rowsInHand || (rows >= FEW_ROWS && process.memoryUsage().heapUsed - heapBefore > HEAP_BYTES);
  }

  private async take(events: readonly LogEvent[]): Promise<void> {
    const touched: Touch[] = [];
    const elsewhere = new Map<View, Set<string>>();
    for (const event of events) {
      if (this.voided.has(event.n)) continue;
      for (const touch of touches(this.unit, event)) {
        touched.push(touch);
        if (this.memories.get(touch.view)?.isElsewhere(touch.key) !== true) continue;
        elsewhere.set(touch.view, (elsewhere.get(touch.view) ?? new Set()).add(touch.key));
      }
    }
    for (const { view, stored } of await loadRows(this.db, this.schema, elsewhere)) this.memories.get(view)?.loaded(stored);
    for (const touch of touched) {
      const memory = this.memories.get(touch.view);
      const folded = foldOne(touch, memory?.get(touch.key));
      if (folded.kind === 'parked') throw new EventNotApplicable(folded.trouble);
      if (folded.kind === 'changed') memory?.put(folded.stored);
    }
  }

  /** Goes on folding while the rows are written; only one set is on its way at a time. */
  private async flush(from: Checkpoint, to: Checkpoint): Promise<void> {
    await this.writing;
    const sets = [...this.memories.values()].map((memory) => ({ view: memory.view, ...memory.leave() }));
    this.writing = this.write(sets, from, to);
    this.writing.catch(() => undefined);
  }

  private async write(
    sets: readonly { readonly view: View; readonly fresh: readonly StoredRow[]; readonly known: readonly StoredRow[] }[],
    from: Checkpoint,
    to: Checkpoint,
  ): Promise<void> {
    const client = await this.db.connect();
    try {
      await client.query('BEGIN');
      for (const { view, fresh, known } of sets) {
        if (fresh.length > 0) await copyLines(client, tableOf(this.schema, view), columnNames(view), lines(view, fresh));
        if (known.length > 0) await upsert(client, this.schema, view, known);
      }
      await moveCheckpoint(client, this.schema, from, to);
      await client.query('COMMIT');
      client.release();
    } catch (cause) {
      client.release(true);
      throw cause;
    }
  }
}

const columnNames = (view: View): readonly string[] => ['key', 'scope', 'n', 'doc', ...columnsOf(view).map(([name]) => `"${name}"`)];

async function upsert(client: pg.PoolClient, schema: string, view: View, rows: readonly StoredRow[]): Promise<void> {
  const names = columnNames(view);
  const updates = names.slice(2).map((name) => `${name} = excluded.${name}`);
  await client.query(`CREATE TEMP TABLE fill ON COMMIT DROP AS SELECT ${names.join(', ')} FROM ${tableOf(schema, view)} WITH NO DATA`);
  await copyLines(client, 'fill', names, lines(view, rows));
  await client.query(
    `INSERT INTO ${tableOf(schema, view)} (${names.join(', ')}) SELECT * FROM fill ON CONFLICT (key) DO UPDATE SET ${updates.join(', ')}`,
  );
  await client.query('DROP TABLE fill');
}

function* lines(view: View, rows: readonly StoredRow[]): Generator<string> {
  const nulls = columnsOf(view).map(() => null);
  for (const { key, scope, n, row } of rows) {
    const extras = row === null ? nulls : extrasOf(view, row);
    const cells = extras.map((value) => `\t${copyText(asText(value))}`).join('');
    yield `${copyText(key)}\t${scope}\t${String(n)}\t${copyJson(row)}${cells}\n`;
  }
}
