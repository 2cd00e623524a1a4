import { InvalidInput } from '../../kernel/errors.ts';

/** An opaque cursor: base64url of the place where the page ended. */
export const encodeCursor = (place: object): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** Reads back what `encodeCursor` wrote; `read` says whether it is a place of this list. */
export function decodeCursor<Place>(cursor: string, read: (value: unknown) => Place | null): Place {
  const place = read(parsed(cursor));
  if (place === null) throw new InvalidInput('cursor: is not a cursor of this list');
  return place;
}

/** How many a page holds at most. */
export function readLimit(value: unknown): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new InvalidInput('limit: must be a whole number from 1 to 1000');
  return limit;
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
