import { InvalidInput } from '../../kernel/errors.ts';

type QueryParameters = Readonly<Record<string, unknown>>;

export const MAX_WAIT_SECONDS = 60;
/** Parameters of the pages of the past. */
const OF_PAGES = ['from', 'to', 'cursor', 'sort', 'order', 'format', 'stream', 'actor', 'fields'] as const;

export interface Following {
  /** Follows events strictly after this position: -1 for all from the beginning, null for those from now on. */
  readonly after: number | null;
  readonly waitMs: number;
}

export function readFollowing(given: QueryParameters): Following {
  return { after: afterOf(given['after']), waitMs: (numberOf(given, 'wait', { least: 0, most: MAX_WAIT_SECONDS }) ?? 0) * 1000 };
}

/** Reads how the history of a project is followed; null without `after`, when it is not. */
export function readHistoryFollowing(given: QueryParameters): Following | null {
  if (given['after'] === undefined && given['wait'] === undefined) return null;
  if (given['after'] === undefined) throw new InvalidInput('wait: needs after');
  const unfit = OF_PAGES.find((name) => given[name] !== undefined);
  if (unfit !== undefined) throw new InvalidInput(`${unfit}: cannot be combined with after`);
  return readFollowing(given);
}

function afterOf(given: unknown): number | null {
  if (given === undefined) return -1;
  return given === 'now' ? null : positionOf(given, 'after');
}

export function positionOf(given: unknown, name: string): number {
  if (typeof given !== 'string' || !/^(-1|\d{1,15})$/.test(given))
    throw new InvalidInput(`${name}: must be the position of an event${name === 'after' ? ', or now' : ''}`);
  return Number(given);
}

export function numberOf(
  given: QueryParameters,
  name: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  const value = given[name];
  if (value === undefined) return null;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (!(number >= least && number <= most))
    throw new InvalidInput(`${name}: must be an integer from ${String(least)} to ${String(most)}`, {
      allowed: { minimum: least, maximum: most },
    });
  return number;
}
