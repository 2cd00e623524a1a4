import { LogDamaged } from '../../event-store/log-damaged.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { type ParkedEvent, parkedEventOf, readable, unreadableUnlessDamaged } from '../engine/parked-events.ts';
import { checkRow, keyFor } from './row-limits.ts';
import type { StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';

/** An event in today's shape, with a row that it may change. */
export interface RowEvent {
  readonly view: View;
  readonly key: string;
  readonly event: LogEvent;
}

export function rowEventsOf(unit: ViewUnit, event: LogEvent): readonly RowEvent[] {
  const views = unit.viewsFor(event);
  if (views.length === 0) return [];
  const today = readable(event);
  try {
    return views.flatMap((view) => {
      const key = view.key(today);
      return key === null ? [] : [{ view, key: keyFor(key), event: today }];
    });
  } catch (cause) {
    throw unreadableUnlessDamaged(event, cause);
  }
}

export type FoldResult =
  | { readonly kind: 'changed'; readonly stored: StoredRow }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'parked'; readonly stored: StoredRow; readonly parkedEvent: ParkedEvent };

/** Applies one event to one row. A handler that fails parks the row as it was before; only a damaged log throws. */
export function foldEvent({ view, key, event }: RowEvent, known: StoredRow | undefined): FoldResult {
  try {
    if (known !== undefined && known.scope !== event.scope) throw new Error(`${key} belongs to ${known.scope}, not to ${event.scope}`);
    const before = known?.row ?? null;
    const after = view.evolve(before, event);
    if (after === before) return { kind: 'unchanged' };
    checkRow(view, after);
    return { kind: 'changed', stored: { key, scope: event.scope, n: event.n, row: after, parked: false } };
  } catch (cause) {
    if (cause instanceof LogDamaged) throw cause;
    const stored = { key, scope: known?.scope ?? event.scope, n: known?.n ?? event.n, row: known?.row ?? null, parked: true };
    return { kind: 'parked', stored, parkedEvent: parkedEventOf(view.name, key, event, cause) };
  }
}
