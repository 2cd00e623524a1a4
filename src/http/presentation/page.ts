import { InvalidInput } from '../../kernel/errors.ts';

/** An opaque cursor: base64url of the position at which the page ended. */
export const encodeCursor = (position: object): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** `read` answers null for a position that does not belong to this list. */
export function decodeCursor<Position>(cursor: string, read: (value: unknown) => Position | null): Position {
  const position = read(parsed(cursor));
  if (position === null) throw new InvalidInput('cursor: is not a cursor of this list');
  return position;
}

/** The page size. */
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
