import { MAX_METHODS, METHOD_NAME, parseUtcOffset } from '../../projects/objectives/objective.settings.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { MONTH } from './month.ts';
import { preferredOf } from '../../platform/http/presentation/accept-header.ts';
import { readFromTo } from '../../platform/http/spans/instant-input.ts';

export interface StatementQuery {
  readonly asked: { readonly month: string } | { readonly from: number; readonly to: number };
  /** Null for that of the objective. */
  readonly offsetMinutes: number | null;
  readonly methods: readonly string[];
}

const LONGEST = 366 * 86_400_000;
const EARLIEST = '1970-01';

/** `?month=` or `?from=&to=`, `?offset=`, `?method=` (repeated, or separated by commas). */
export function readStatementQuery(query: Readonly<Record<string, unknown>>, now: number): StatementQuery {
  return { asked: readAsked(query, now), offsetMinutes: readOffset(query['offset']), methods: readMethods(query['method']) };
}

export const statementFormats = ['html', 'json'] as const;
export type StatementFormat = (typeof statementFormats)[number];

/** `?format=` takes precedence over `Accept`; without either it is the file for people. */
export function readStatementFormat({ format }: Readonly<Record<string, unknown>>, accept = '*/*'): StatementFormat {
  if (format === undefined) return preferredOf(accept, ['text/html', 'application/json']) === 'application/json' ? 'json' : 'html';
  const found = statementFormats.find((one) => one === format);
  if (found === undefined) throw new InvalidInput('format: must be html or json', { allowed: statementFormats });
  return found;
}

function readAsked(query: Readonly<Record<string, unknown>>, now: number): StatementQuery['asked'] {
  const { month } = query;
  if (month !== undefined) {
    if (query['from'] !== undefined || query['to'] !== undefined) throw new InvalidInput('month: cannot be combined with from and to');
    if (typeof month !== 'string' || !MONTH.test(month) || month < EARLIEST)
      throw new InvalidInput('month: must be a calendar month such as 2026-10');
    // In the earliest offset a month begins 14 hours before it does in UTC.
    if (Date.parse(`${month}-01T00:00:00+14:00`) > now) throw new InvalidInput('month: must not be in the future');
    return { month };
  }
  const { from, to } = readFromTo(query);
  if (from === null || to === null) throw new InvalidInput('month: must be a calendar month such as 2026-10, or from and to must be given');
  if (from.at >= to.at) throw new InvalidInput('to: must be later than from');
  if (from.at < 0) throw new InvalidInput('from: must not be before 1970');
  if (to.at - from.at > LONGEST) throw new InvalidInput('to: a statement covers at most 366 days');
  if (from.at > now) throw new InvalidInput('from: must not be in the future');
  return { from: from.at, to: to.at };
}

function readOffset(given: unknown): number | null {
  if (given === undefined) return null;
  // A plus sign that was not escaped arrives as a space.
  const minutes = typeof given === 'string' ? parseUtcOffset(given.replace(/^ /, '+')) : null;
  if (minutes === null)
    throw new InvalidInput('offset: must be an existing UTC offset such as +01:00, from -12:00 to +14:00 in quarters of an hour');
  return minutes;
}

function readMethods(given: unknown): readonly string[] {
  const names = (given === undefined ? [] : [given].flat()).flatMap((one) => (typeof one === 'string' ? one.split(',') : ['']));
  if (names.some((name) => !METHOD_NAME.test(name)))
    throw new InvalidInput('method: must be the name of a method, or several separated by commas');
  if (new Set(names).size !== names.length) throw new InvalidInput('method: names a method twice');
  if (names.length > MAX_METHODS + 1) throw new InvalidInput(`method: at most ${String(MAX_METHODS + 1)} methods stand side by side`);
  return names;
}
