import { InvalidInput } from '../../../kernel/errors.ts';
import type { ItemPosition } from './list.ts';

/** The list with the ids in its path, and its order: a cursor belongs to both. */
export interface CursorOwner {
  readonly list: readonly string[];
  readonly sort: string;
}

/** An opaque cursor: base64url of the position at which the page ended. */
export const encodeCursor = ({ list, sort }: CursorOwner, { value, key }: ItemPosition): string =>
  Buffer.from(JSON.stringify([list.join('/'), sort, value, key])).toString('base64url');

export function decodeCursor({ list, sort }: CursorOwner, cursor: string): ItemPosition {
  const read = parsed(cursor);
  if (!Array.isArray(read) || read.length !== 4) throw new InvalidInput('cursor: is not a cursor of this list');
  const [ofList, ofSort, value, key] = read as readonly unknown[];
  if (ofList !== list.join('/') || typeof ofSort !== 'string' || typeof key !== 'string' || !isSortable(value))
    throw new InvalidInput('cursor: is not a cursor of this list');
  if (ofSort !== sort)
    throw new InvalidInput(`cursor: belongs to pages sorted by "${ofSort.slice(0, 60)}"; repeat that sort, or begin without a cursor`);
  return { value, key };
}

/** The number that a list is sorted by; null without a cursor. */
export function numberAt(position: ItemPosition | null): number | null {
  if (position === null) return null;
  if (!Number.isSafeInteger(position.value)) throw new InvalidInput('cursor: is not a cursor of this list');
  return Number(position.value);
}

const isSortable = (value: unknown): value is ItemPosition['value'] =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
