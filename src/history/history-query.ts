import { InvalidInput } from '../kernel/errors.ts';
import { type ListRequest, readSort } from '../platform/http/lists/list.ts';
import { readFromTo } from '../platform/http/spans/instant-input.ts';
import { preferredOf } from '../platform/http/presentation/accept-header.ts';
import { numberAt } from '../platform/http/lists/cursor.ts';

export interface HistoryQuery {
  /** ISO 8601; null: without a bound. */
  readonly from: string | null;
  readonly to: string | null;
  readonly types: readonly string[];
  readonly stream: string | null;
  readonly actors: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly limit: number;
  /** Continue strictly after this position, in the direction of the order. */
  readonly position: number | null;
  readonly format: HistoryFormat;
}

const DEFAULT_LIMIT = 100;

type QueryParameters = Readonly<Record<string, unknown>>;

/** What the history takes besides the parameters of lists (docs/spec/beyond.md#B2). */
export function readHistoryQuery(given: QueryParameters, { limit, after, sort }: ListRequest, accept: string): HistoryQuery {
  const { from, to } = readFromTo(given);
  return {
    from: from?.utc ?? null,
    to: to?.utc ?? null,
    types: textsOf(given, 'type'),
    stream: textsOf(given, 'stream')[0] ?? null,
    actors: textsOf(given, 'actor'),
    order: readSort(sort).direction,
    limit: limit ?? DEFAULT_LIMIT,
    position: numberAt(after),
    format: formatOf(given['format'], accept),
  };
}

/** The values of a parameter that may repeat. */
export function textsOf(given: QueryParameters, name: string): readonly string[] {
  const values = [given[name] ?? []].flat();
  if (
    !values.every((value): value is string => typeof value === 'string' && value.length <= 200 && !value.includes('\u0000')) ||
    values.length > 100
  )
    throw new InvalidInput(`${name}: must be text`);
  return values;
}

export type HistoryFormat = 'json' | 'csv' | 'jsonl';

const FORMATS: Readonly<Record<string, HistoryFormat>> = { json: 'json', csv: 'csv', jsonl: 'jsonl', ndjson: 'jsonl' };

/** The first is the default. */
const BY_TYPE = { 'application/json': 'json', 'text/csv': 'csv', 'application/x-ndjson': 'jsonl' } as const satisfies Record<
  string,
  HistoryFormat
>;
const TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const satisfies readonly (keyof typeof BY_TYPE)[];

/** By `format`, else by the Accept header (docs/spec/beyond.md#B2). */
export function formatOf(value: unknown, accept: string): HistoryFormat {
  if (value === undefined) return BY_TYPE[preferredOf(accept, TYPES) ?? 'application/json'];
  const format = typeof value === 'string' && Object.hasOwn(FORMATS, value) ? FORMATS[value] : undefined;
  if (format === undefined) throw new InvalidInput('format: must be json, csv or jsonl', { allowed: ['json', 'csv', 'jsonl'] });
  return format;
}
