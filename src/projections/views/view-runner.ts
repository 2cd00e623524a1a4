import type pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { Batch, foldBatch, gather, hold, type RowName, touchesOf } from './batch.ts';
import { BEGINNING, type Checkpoint, CheckpointMismatch, CheckpointMoved, readState, verifyCheckpoint } from '../engine/checkpoint.ts';
import { retriesWanted, writeParked } from './parked-rows.ts';
import { putRefolded, refold, rowsOfVoided } from './refold.ts';
import type { Trouble } from './row.ts';
import { loadRows, RowCache } from './row-cache.ts';
import type { ViewUnit } from './unit.ts';
import { ViewWriter } from './view-writer.ts';
import { VoidedEvents, voidedPosition } from '../engine/voided-events.ts';

const BATCH = 1_000;

export interface Progress {
  /** Everything up to `n` is committed and can be read. */
  advance(n: number): void;
  /** The row waits behind an event that its view cannot take. */
  parked?(trouble: Trouble): void;
  /** Asked first: what it throws is thrown, and nothing is written. */
  mayPark?(trouble: Trouble): void;
}

/** Keeps the tables of a unit abreast of the log, a batch at a time. One runs at a time for a schema; a second one writes nothing. */
export class ViewRunner {
  private at: Checkpoint = BEGINNING;
  private readonly writer: ViewWriter;
  private readonly voided: VoidedEvents;

  constructor(
    private readonly unit: ViewUnit,
    private readonly log: Log,
    private readonly db: pg.Pool,
    private readonly progress: Progress,
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

  /** From what the table says, with nothing remembered: somebody else may have run in between. */
  async begin(): Promise<void> {
    this.cache.clear();
    const state = await readState(this.db, this.schema);
    if (state === null) throw new Error(`${this.schema} is not there`);
    await verifyCheckpoint(this.log, this.schema, state.checkpoint);
    await this.voided.refresh();
    this.at = state.checkpoint;
    this.progress.advance(this.at.n);
  }

  /** One batch; the number of events that it took. */
  async step(limit = BATCH, until?: number): Promise<number> {
    const events = await this.log.read({ after: this.at.n, limit, ...(until !== undefined && { until }) });
    const last = events.at(-1);
    if (last === undefined) return 0;
    if (events[0]?.n !== this.at.n + 1 || last.n !== this.at.n + events.length) {
      throw new CheckpointMismatch(
        `after ${String(this.at.n)} the log of ${this.schema} goes on at ${String(events[0]?.n)}: positions have no gaps`,
      );
    }
    const voiding = events.some((event) => voidedPosition(event, this.unit) !== null);
    if (voiding) await this.voided.refresh();
    const batch = await this.fold(events);
    const to = { n: last.n, eventId: last.id };
    if (voiding) {
      const names = await rowsOfVoided(this.log, this.unit, events);
      for (const { scope, ...name } of names) await this.again(batch, name, scope, to.n);
    }
    await this.write(batch, to);
    return events.length;
  }

  /** Folds the rows again that an operator asked for. */
  async retry(): Promise<void> {
    const wanted = await retriesWanted(this.db, this.schema, this.unit.views);
    if (wanted.length === 0) return;
    await this.voided.refresh();
    const batch = new Batch();
    for (const { scope, ...name } of wanted) await this.again(batch, name, scope, this.at.n);
    await this.write(batch, this.at);
  }

  private async fold(events: readonly LogEvent[]): Promise<Batch> {
    const touched = await this.touched(events);
    const { held, missing } = gather(touched, this.cache);
    for (const { view, stored, size } of await loadRows(this.db, this.schema, missing)) {
      hold(held, view, stored);
      this.cache.set(view, stored, size);
    }
    return foldBatch(touched, (view, key) => held.get(view)?.get(key));
  }

  /** An event that nobody can read may have been voided in the meantime: look before giving up. */
  private async touched(events: readonly LogEvent[]): Promise<ReturnType<typeof touchesOf>> {
    try {
      return touchesOf(this.unit, events, (n) => this.voided.has(n));
    } catch {
      await this.voided.refresh();
      return touchesOf(this.unit, events, (n) => this.voided.has(n));
    }
  }

  private async again(batch: Batch, name: RowName, scope: string, until: number): Promise<void> {
    putRefolded(batch, name, await refold(this.log, this.voided, name, scope, until));
  }

  private async write(batch: Batch, to: Checkpoint): Promise<void> {
    for (const trouble of batch.troubles) this.progress.mayPark?.(trouble);
    try {
      const written = batch.isPlain ? await this.writer.write(this.db, batch.changes, this.at, to) : await this.writeWithParked(batch, to);
      if (!written) throw new CheckpointMoved(`${this.schema} is no longer at ${String(this.at.n)}`);
    } catch (cause) {
      // Whether it was committed is unknown: only the table knows what it holds now.
      this.cache.clear();
      throw cause;
    }
    for (const [view, rows] of batch.changes) for (const stored of rows.values()) this.cache.set(view, stored, this.writer.sizeOf(stored));
    for (const { view, key } of batch.gone) this.cache.delete(view, key);
    this.at = to;
    for (const trouble of batch.troubles) this.progress.parked?.(trouble);
    this.progress.advance(to.n);
  }

  private async writeWithParked(batch: Batch, to: Checkpoint): Promise<boolean> {
    const client = await this.db.connect();
    try {
      await client.query('BEGIN');
      const written = await this.writer.write(client, batch.changes, this.at, to);
      if (written) await writeParked(client, this.schema, batch);
      await client.query(written ? 'COMMIT' : 'ROLLBACK');
      client.release();
      return written;
    } catch (cause) {
      // Not given back: the transaction may still be open.
      client.release(true);
      throw cause;
    }
  }
}
