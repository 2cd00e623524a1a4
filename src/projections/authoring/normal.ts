import type { ColumnKind, ColumnValue } from './columns.ts';

/** A value as tables and folds compare it: text that Postgres cannot hold is replaced, searched text is lower case. */
export function normal(kind: ColumnKind, value: ColumnValue | null): ColumnValue | null {
  if (typeof value !== 'string') return value;
  const clean = cleanText(value);
  return kind === 'search' ? clean.toLowerCase() : clean;
}

// eslint-disable-next-line no-control-regex -- the one control character that Postgres refuses
const HARD = /[\u0000\p{Surrogate}]/gu;

/** Postgres holds neither the character 0 nor half a surrogate pair. */
export const cleanText = (text: string): string => text.replace(HARD, '\uFFFD');
