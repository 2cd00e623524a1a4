import { LogDamaged } from '../../event-store/lazy-event.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { View } from '../authoring/define-view.ts';
import { type ParkedEvent, parkedEventOf, readable, unreadableUnlessDamaged } from '../engine/parked-events.ts';
import type { StoredRow } from './stored-row.ts';
import type { ViewUnit } from './unit.ts';
import { cleanText, type ColumnKind } from '../authoring/columns.ts';
import { columnsOf } from './view-tables.ts';

/** Bytes. An index entry holds 2704: a column's value together with the key. */
const LONGEST_KEY = 600;
const LONGEST_TEXT = 2_080;
/** What a UTF-16 code unit takes in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const PLAIN = /^[ -~]*$/;

/** A key as the table holds it. */
function keyFor(key: string): string {
  if (!fits(key, LONGEST_KEY)) throw new RangeError(`a key must have at most ${String(LONGEST_KEY)} bytes, got ${shown(key)}`);
  return PLAIN.test(key) ? key : cleanText(key);
}

const isIndexed = (view: View, name: string, indexed: boolean): boolean => indexed || view.indexes.some((names) => names.includes(name));

/** Throws if the table cannot hold the row. Postgres would refuse the whole set of rows that it is written with. */
function checkRow(view: View, row: object | null): void {
  // In JavaScript, or with a cast, a handler may return anything.
  const given: unknown = row;
  if (given === null || row === null) return;
  if (typeof given !== 'object') throw new TypeError(`a handler must return a row or null, got ${shown(given)}`);
  for (const [name, column] of columnsOf(view)) {
    const { kind, indexed } = column;
    const value: unknown = column.of(row);
    if (
      value !== null &&
      !(holds[kind](value) && (!isIndexed(view, name, indexed) || typeof value !== 'string' || fits(value, LONGEST_TEXT)))
    )
      throw new RangeError(`the column ${name} must be ${accepted[kind]}, got ${shown(value)}`);
  }
}

const fits = (text: string, bytes: number): boolean => text.length * MAX_BYTES_PER_UNIT <= bytes || Buffer.byteLength(text) <= bytes;

const holds: Readonly<Record<ColumnKind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  integers: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  text: (value) => typeof value === 'string',
  texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string' && fits(one, LONGEST_TEXT)),
  search: (value) => typeof value === 'string',
  grams: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  boolean: (value) => typeof value === 'boolean',
};

const accepted: Readonly<Record<ColumnKind, string>> = {
  integer: 'a whole number',
  integers: 'a list of whole numbers',
  text: `text of at most ${String(LONGEST_TEXT)} bytes`,
  texts: `a list of texts of at most ${String(LONGEST_TEXT)} bytes`,
  search: 'text',
  grams: 'a list of whole numbers',
  boolean: 'true or false',
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `“${value}”` : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${String(text.length)} characters)` : text;
};

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
