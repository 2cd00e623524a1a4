import type { LogEvent } from '../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { type Folded, foldOne, type Touch, touches } from './fold.ts';
import type { RowCache } from './row-cache.ts';
import type { StoredRow, Trouble } from './row.ts';
import type { ViewUnit } from './unit.ts';

export interface RowName {
  readonly view: View;
  readonly key: string;
}

/** What a batch of events does to the rows, ready to be written as one set. */
export class Batch {
  readonly changes = new Map<View, Map<string, StoredRow>>();
  troubles: readonly Trouble[] = [];
  /** Rows that are folded again from their beginning and wait no longer. */
  readonly freed: RowName[] = [];
  /** Rows that never were, now that their first event is voided. */
  readonly gone: RowName[] = [];

  get isPlain(): boolean {
    return this.troubles.length === 0 && this.freed.length === 0 && this.gone.length === 0;
  }

  put(view: View, stored: StoredRow): void {
    hold(this.changes, view, stored);
  }

  get(view: View, key: string): StoredRow | undefined {
    return this.changes.get(view)?.get(key);
  }

  trouble(trouble: Trouble): void {
    this.troubles = [...this.troubles, trouble];
  }

  /** Whatever it did to the row, and what it stumbled over there, is as if it had not been. */
  undo({ view, key }: RowName): void {
    this.changes.get(view)?.delete(key);
    this.troubles = this.troubles.filter((trouble) => trouble.view !== view.name || trouble.key !== key);
  }
}

export function touchesOf(unit: ViewUnit, events: readonly LogEvent[], isVoided: (n: number) => boolean): readonly Touch[] {
  const found: Touch[] = [];
  for (const event of events) if (!isVoided(event.n)) found.push(...touches(unit, event));
  return found;
}

export interface BatchedLookup {
  /** Held for the batch: the cache may let go of a row while others are loaded. */
  readonly held: Map<View, Map<string, StoredRow>>;
  /** What the cache does not have. */
  readonly missing: ReadonlyMap<View, ReadonlySet<string>>;
}

/** The rows that a batch needs. */
export function gather(touched: readonly Touch[], cache: RowCache): BatchedLookup {
  const held = new Map<View, Map<string, StoredRow>>();
  const missing = new Map<View, Set<string>>();
  for (const { view, key } of touched) {
    if (held.get(view)?.has(key) === true) continue;
    const stored = cache.get(view, key);
    if (stored !== undefined) hold(held, view, stored);
    else missing.set(view, (missing.get(view) ?? new Set()).add(key));
  }
  return { held, missing };
}

export function hold(held: Map<View, Map<string, StoredRow>>, view: View, stored: StoredRow): void {
  const rows = held.get(view);
  if (rows === undefined) held.set(view, new Map([[stored.key, stored]]));
  else rows.set(stored.key, stored);
}

/** In the order of the log. Events of a parked row wait in the log: they are folded when the row is freed. */
export function foldBatch(touched: readonly Touch[], known: (view: View, key: string) => StoredRow | undefined): Batch {
  const batch = new Batch();
  for (const touch of touched) {
    const { view, key } = touch;
    const before = batch.get(view, key) ?? known(view, key);
    if (before?.parked === true) continue;
    take(batch, view, foldOne(touch, before));
  }
  return batch;
}

function take(batch: Batch, view: View, folded: Folded): void {
  if (folded.kind === 'unchanged') return;
  batch.put(view, folded.stored);
  if (folded.kind === 'parked') batch.trouble(folded.trouble);
}
