import { cleanText, type ColumnKind } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import { columnsOf } from './view-tables.ts';

/** Bytes. An index entry holds 2704: a column's value together with the key. */
const LONGEST_KEY = 600;
const LONGEST_TEXT = 2_080;
/** Of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;
const PLAIN = /^[ -~]*$/;

/** A key as the table holds it. */
export function keyFor(key: string): string {
  if (!fits(key, LONGEST_KEY)) throw new RangeError(`a key must have at most ${String(LONGEST_KEY)} bytes, got ${shown(key)}`);
  return PLAIN.test(key) ? key : cleanText(key);
}

const isIndexed = (view: View, name: string, indexed: boolean): boolean => indexed || view.indexes.some((names) => names.includes(name));

/** Throws if the table cannot hold the row. Postgres would refuse the whole set of rows that it is written with. */
export function checkRow(view: View, row: object | null): void {
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
