import type { ColumnKind } from '../authoring/columns.ts';
import type { View } from '../authoring/define-view.ts';
import { cleanText } from '../authoring/normal.ts';
import { columnsOf } from './view-tables.ts';

/** In bytes. An entry of an index holds 2704, a column's with the key beside it. */
const LONGEST_KEY = 600;
const LONGEST_TEXT = 2_080;
/** Of a character in UTF-8, at the most. */
const BYTES = 3;
const PLAIN = /^[ -~]*$/;

/** A key as the table holds it. */
export function keyFor(key: string): string {
  if (!fits(key, LONGEST_KEY)) throw new RangeError(`a key has at most ${String(LONGEST_KEY)} bytes, and not ${shown(key)}`);
  return PLAIN.test(key) ? key : cleanText(key);
}

/** Throws where the table could not hold the row: told by Postgres, all the rows that are written with it would be stopped. */
export function checkRow(view: View, row: object | null): void {
  const given: unknown = row;
  if (given === null || row === null) return;
  if (typeof given !== 'object') throw new TypeError(`a handler answers a row, or null where there is none, and not ${shown(given)}`);
  for (const [name, column] of columnsOf(view)) {
    const { kind, indexed } = column;
    const value: unknown = column.of(row);
    if (value !== null && !(holds[kind](value) && (!indexed || typeof value !== 'string' || fits(value, LONGEST_TEXT))))
      throw new RangeError(`the column ${name} holds ${what[kind]}, and not ${shown(value)}`);
  }
}

const fits = (text: string, bytes: number): boolean => text.length * BYTES <= bytes || Buffer.byteLength(text) <= bytes;

const holds: Readonly<Record<ColumnKind, (value: unknown) => boolean>> = {
  integer: Number.isSafeInteger,
  integers: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
  text: (value) => typeof value === 'string',
  search: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
};

const what: Readonly<Record<ColumnKind, string>> = {
  integer: 'a whole number',
  integers: 'a list of whole numbers',
  text: `text of at most ${String(LONGEST_TEXT)} bytes`,
  search: 'text',
  boolean: 'true or false',
};

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? `“${value}”` : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${String(text.length)} characters)` : text;
};
