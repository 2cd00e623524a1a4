import type { LogEvent } from '../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import type { StoredRow, Trouble } from './row.ts';
import { checkRow, keyFor } from './row-limits.ts';
import type { ViewUnit } from './unit.ts';
import { upcast } from '../../domain/events.ts';

export interface Touch {
  readonly view: View;
  readonly key: string;
  readonly event: LogEvent;
}

/** An event whose keys cannot even be named stops everything that would have to wait behind it. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  constructor(
    readonly event: LogEvent,
    override readonly cause: unknown,
  ) {
    super(`${event.type} at ${String(event.n)} (${event.id}) cannot be read: ${reasonOf(cause)}`);
  }

  /** For operators, who see and skip it like what stops a row: under the first view that would take it, with a key that is no row's. */
  troubleIn(unit: ViewUnit): Trouble {
    const { event } = this;
    const [view] = unit.viewsFor(event);
    const { scope, n, id: eventId, type } = event;
    return { view: view?.name ?? unit.name, key: `${UNREADABLE}${eventId}`, scope, n, eventId, type, error: reasonOf(this.cause) };
  }
}

/** Begins what stands for the key of an event whose keys nobody can name. */
export const UNREADABLE = 'unreadable ';

/** Which rows an event touches, with the event in today's shape. */
export function touches(unit: ViewUnit, event: LogEvent): readonly Touch[] {
  const views = unit.viewsFor(event);
  if (views.length === 0) return [];
  try {
    const today = upcast(event);
    const found: Touch[] = [];
    for (const view of views) {
      const key = view.key(today);
      if (key !== null) found.push({ view, key: keyFor(key), event: today });
    }
    return found;
  } catch (cause) {
    throw new Unreadable(event, cause);
  }
}

export type Folded =
  | { readonly kind: 'changed'; readonly stored: StoredRow }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'parked'; readonly stored: StoredRow; readonly trouble: Trouble };

/** One event upon one row. Never throws: what a handler cannot take parks the row as it was before. */
export function foldOne({ view, key, event }: Touch, known: StoredRow | undefined): Folded {
  try {
    if (known !== undefined && known.scope !== event.scope) throw new Error(`${key} belongs to ${known.scope}, not to ${event.scope}`);
    const before = known?.row ?? null;
    const after = view.evolve(before, event);
    if (after === before) return { kind: 'unchanged' };
    checkRow(view, after);
    return { kind: 'changed', stored: { key, scope: event.scope, n: event.n, row: after, parked: false } };
  } catch (cause) {
    const stored = { key, scope: known?.scope ?? event.scope, n: known?.n ?? event.n, row: known?.row ?? null, parked: true };
    return { kind: 'parked', stored, trouble: troubleOf(view, key, event, cause) };
  }
}

const troubleOf = (view: View, key: string, event: LogEvent, cause: unknown): Trouble => ({
  view: view.name,
  key,
  scope: event.scope,
  n: event.n,
  eventId: event.id,
  type: event.type,
  error: reasonOf(cause),
});

export const reasonOf = (cause: unknown): string =>
  (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)).slice(0, 2_000);
