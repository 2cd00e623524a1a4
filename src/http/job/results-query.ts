import { InvalidInput } from '../../kernel/errors.ts';
import { readInstant } from '../../kernel/instants.ts';
import { decodeCursor } from '../presentation/page.ts';

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
  const [from, to] = [instant(given, 'from'), instant(given, 'to') ?? now + 1];
  if (from !== null && given['to'] !== undefined && from > to) throw new InvalidInput('from: lies after to');
  return {
    from: Math.max(from ?? -Infinity, now - keptMs),
    to: Math.min(to, placeOf(given['cursor'], checkId) ?? Infinity),
    limit: limitOf(given['limit'] ?? 100),
  };
}

function instant(given: Given, name: string): number | null {
  if (given[name] === undefined) return null;
  const read = readInstant(given[name]);
  if (read.kind === 'invalid') throw new InvalidInput(`${name}: ${read.reason}`);
  return read.at;
}

function limitOf(value: unknown): number {
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1000) throw new InvalidInput('limit: must be a whole number from 1 to 1000');
  return limit;
}

function placeOf(value: unknown, checkId: string): number | null {
  if (value === undefined) return null;
  if (typeof value !== 'string') throw new InvalidInput('cursor: must be text');
  return decodeCursor(value, (place) => {
    if (typeof place !== 'object' || place === null || !('test' in place && 'before' in place)) return null;
    return place.test === checkId && typeof place.before === 'number' ? place.before : null;
  });
}
