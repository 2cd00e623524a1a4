import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { park, type ParkedEvent, unpark } from '../engine/parked-events.ts';
import { foldEvent, type RowEvent, rowEventsOf } from './fold.ts';
import type { RowCache } from './row-cache.ts';
import type { StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';
import { tableOf } from './view-tables.ts';

export interface RowName {
  readonly view: View;
  readonly key: string;
}

type RowsByView = Map<View, Map<string, StoredRow>>;

/** What a batch of events changes in the tables of a unit, written as one set. */
export class ViewBatch {
  readonly changes: RowsByView = new Map();
  parkedEvents: readonly ParkedEvent[] = [];
  /** Rows that were folded again from their first event and are no longer parked. */
  private readonly released: RowName[] = [];
  /** Rows whose only events were voided. */
  readonly removed: RowName[] = [];

  /** Nothing but changed rows. */
  get isPlain(): boolean {
    return this.parkedEvents.length === 0 && this.released.length === 0 && this.removed.length === 0;
  }

  /** In the order of the log. Events of a parked row wait in the log until it is released. */
  fold(rowEvents: readonly RowEvent[], known: (view: View, key: string) => StoredRow | undefined): this {
    for (const rowEvent of rowEvents) {
      const { view, key } = rowEvent;
      const before = this.changes.get(view)?.get(key) ?? known(view, key);
      if (before?.parked === true) continue;
      const folded = foldEvent(rowEvent, before);
      if (folded.kind === 'unchanged') continue;
      addRow(this.changes, view, folded.stored);
      if (folded.kind === 'parked') this.parkedEvents = [...this.parkedEvents, folded.parkedEvent];
    }
    return this;
  }

  /** Replaces whatever the batch did to a row by the result of a fold from its first event; `stored` undefined: no event is left. */
  replace(name: RowName, stored: StoredRow | undefined, parkedEvent: ParkedEvent | undefined): void {
    const { view, key } = name;
    this.changes.get(view)?.delete(key);
    this.parkedEvents = this.parkedEvents.filter((parked) => parked.view !== view.name || parked.key !== key);
    this.released.push(name);
    if (stored !== undefined) addRow(this.changes, view, stored);
    else this.removed.push(name);
    if (parkedEvent !== undefined) this.parkedEvents = [...this.parkedEvents, parkedEvent];
  }

  /** Everything but the changed rows. */
  async writeParked(db: pg.PoolClient, schema: string): Promise<void> {
    const isParked = ({ view, key }: RowName): boolean =>
      this.parkedEvents.some((parked) => parked.view === view.name && parked.key === key);
    for (const { view, key } of this.released.filter((name) => !isParked(name))) {
      await unpark(db, schema, view.name, key);
    }
    for (const { view, key } of this.removed) await db.query(`DELETE FROM ${tableOf(schema, view)} WHERE key = $1`, [key]);
    for (const parked of this.parkedEvents) await park(db, schema, parked);
  }
}

export const rowEventsOfPage = (unit: ViewUnit, events: readonly LogEvent[], isVoided: (n: number) => boolean): readonly RowEvent[] =>
  events.flatMap((event) => (isVoided(event.n) ? [] : rowEventsOf(unit, event)));

export interface RowsOfBatch {
  /** Kept for the batch: loading others may evict them from the cache. */
  readonly cached: RowsByView;
  readonly missing: ReadonlyMap<View, ReadonlySet<string>>;
}

export function rowsOfBatch(rowEvents: readonly RowEvent[], cache: RowCache): RowsOfBatch {
  const cached: RowsByView = new Map();
  const missing = new Map<View, Set<string>>();
  for (const { view, key } of rowEvents) {
    if (cached.get(view)?.has(key) === true) continue;
    const stored = cache.get(view, key);
    if (stored !== undefined) addRow(cached, view, stored);
    else missing.set(view, (missing.get(view) ?? new Set()).add(key));
  }
  return { cached, missing };
}

export function addRow(rows: RowsByView, view: View, stored: StoredRow): void {
  const known = rows.get(view);
  if (known === undefined) rows.set(view, new Map([[stored.key, stored]]));
  else known.set(stored.key, stored);
}
