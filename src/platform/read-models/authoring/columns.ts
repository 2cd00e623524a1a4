import { gramsOf } from './grams.ts';

/** What a column holds, by kind. `search` is text that lists search without regard to case. */
export interface ColumnKinds {
  readonly integer: number;
  readonly integers: readonly number[];
  readonly text: string;
  readonly texts: readonly string[];
  readonly search: string;
  /** Parts of a text, for an index of what a `search` column beside it contains. */
  readonly grams: readonly number[];
  readonly boolean: boolean;
}

export type ColumnKind = keyof ColumnKinds;
export type ColumnValue = ColumnKinds[ColumnKind];

/** A typed column beside a row's document, computed from it: what lists filter and order by. Null matches no condition. */
export interface Column<Row, Kind extends ColumnKind = ColumnKind> {
  readonly kind: Kind;
  readonly indexed: boolean;
  of(row: Row): ColumnKinds[Kind] | null;
}

type Of<Row, Kind extends ColumnKind> = (row: Row) => ColumnKinds[Kind] | null;

interface ColumnOptions {
  /** False where the `indexes` of the view hold the column. */
  readonly indexed?: boolean;
}

const column =
  <Kind extends ColumnKind>(kind: Kind, indexedByDefault: boolean) =>
  <Row>(of: Of<Row, Kind>, { indexed = indexedByDefault }: ColumnOptions = {}): Column<Row, Kind> => ({ kind, indexed, of });

export const integerColumn = column('integer', true);
export const integersColumn = column('integers', true);
export const textColumn = column('text', true);
export const textsColumn = column('texts', true);
export const booleanColumn = column('boolean', false);
export const searchColumn = column('search', false);

export const gramsColumn = <Row>(of: (row: Row) => string): Column<Row, 'grams'> => ({
  kind: 'grams',
  indexed: true,
  of: (row) => gramsOf(searchable(of(row))),
});

interface Conditions {
  readonly integer: { readonly eq?: number; readonly in?: readonly number[]; readonly atLeast?: number; readonly atMost?: number };
  readonly integers: { readonly has?: number };
  readonly text: { readonly eq?: string; readonly in?: readonly string[] };
  readonly texts: { readonly hasAll?: readonly string[] };
  readonly search: { readonly contains?: string };
  readonly grams: { readonly mayContain?: string };
  readonly boolean: { readonly eq?: boolean };
}

/** Every given comparison has to hold. */
export type Condition<Kind extends ColumnKind = ColumnKind> = Conditions[Kind];

/** Conditions by column; every one has to hold. */
export type Where<Extras> = {
  readonly [Name in keyof Extras]?: Extras[Name] extends { readonly kind: infer Kind extends ColumnKind } ? Condition<Kind> : never;
};

/** The types in Postgres. Text compares by bytes, as in the fold: tables and folds give the same lists. */
export const sqlType: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint',
  integers: 'bigint[]',
  text: 'text COLLATE "C"',
  texts: 'text[] COLLATE "C"',
  search: 'text COLLATE "C"',
  grams: 'integer[]',
  boolean: 'boolean',
};

/** A value as tables and folds compare it: text that Postgres cannot hold is replaced, searched text is lower case. */
export function normalized(kind: ColumnKind, value: ColumnValue | null): ColumnValue | null {
  // Cast: what a column of this kind holds.
  if (kind === 'texts') return (value as readonly string[] | null)?.map(cleanText) ?? null;
  if (typeof value !== 'string') return value;
  return kind === 'search' ? searchable(value) : cleanText(value);
}

// oxlint-disable-next-line no-control-regex -- the one control character that Postgres refuses
const REFUSED = /[\u0000\p{Surrogate}]/gu;

// oxlint-disable-next-line no-control-regex -- the same character
const MAY_BE_REFUSED = /[\u0000\ud800-\udfff]/;

/** Postgres holds neither the character 0 nor half a surrogate pair. The test is many times faster than the replacement, and most text passes it. */
export const cleanText = (value: string): string => (MAY_BE_REFUSED.test(value) ? value.replace(REFUSED, '\uFFFD') : value);

/** Text as lists search it. */
export const searchable = (value: string): string => cleanText(value).toLowerCase();
