import { InvalidInput } from '../../kernel/errors.ts';
import { decodeCursor, readLimit } from '../presentation/page.ts';
import { readFromTo } from '../spans/instant-input.ts';

export interface ResultsQuery {
  /** Milliseconds; results from here, included. */
  readonly from: number;
  /** Not included. */
  readonly to: number;
  readonly limit: number;
}

type Given = Readonly<Record<string, unknown>>;

/** What does not parse or is out of range is 400. Without bounds: everything that is kept. */
export function readResultsQuery(given: Given, checkId: string, now: number, keptMs: number): ResultsQuery {
  const { from, to } = readFromTo(given);
  return {
    from: Math.max(from?.at ?? -Infinity, now - keptMs),
    to: Math.min(to?.at ?? now + 1, placeOf(given['cursor'], checkId) ?? Infinity),
    limit: readLimit(given['limit'] ?? 100),
  };
}

function placeOf(value: unknown, checkId: string): number | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') throw new InvalidInput('cursor: must be text');
  return decodeCursor(value, (place) => {
    if (typeof place !== 'object' || place === null || !('test' in place && 'before' in place)) return null;
    return place.test === checkId && typeof place.before === 'number' ? place.before : null;
  });
}
