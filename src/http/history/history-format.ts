import { InvalidInput } from '../../kernel/errors.ts';
import { preferredOf } from '../presentation/accept-header.ts';

export type HistoryFormat = 'json' | 'csv' | 'jsonl';

const FORMATS: Readonly<Record<string, HistoryFormat>> = { json: 'json', csv: 'csv', jsonl: 'jsonl', ndjson: 'jsonl' };

/** The first is for who does not mind. */
const BY_TYPE = { 'application/json': 'json', 'text/csv': 'csv', 'application/x-ndjson': 'jsonl' } as const satisfies Record<
  string,
  HistoryFormat
>;
const TYPES = ['application/json', 'text/csv', 'application/x-ndjson'] as const satisfies readonly (keyof typeof BY_TYPE)[];

/** docs/spec/beyond.md#B2: by `format`, else by what the client accepts. */
export function formatOf(value: unknown, accept: string): HistoryFormat {
  if (value === undefined) return BY_TYPE[preferredOf(accept, TYPES) ?? 'application/json'];
  const format = typeof value === 'string' && Object.hasOwn(FORMATS, value) ? FORMATS[value] : undefined;
  if (format === undefined) throw new InvalidInput('format: must be json, csv or jsonl');
  return format;
}
