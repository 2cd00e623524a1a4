/** What a column holds, by kind. `search` is text that lists look into without regard to case. */
export interface Kinds {
  readonly integer: number;
  readonly integers: readonly number[];
  readonly text: string;
  readonly search: string;
  readonly boolean: boolean;
}

export type ColumnKind = keyof Kinds;
export type ColumnValue = Kinds[ColumnKind];

/** A typed extra of a view's table, computed from the row: what lists filter and order by. Null matches no condition. */
export interface Column<Row, Kind extends ColumnKind = ColumnKind> {
  readonly kind: Kind;
  readonly indexed: boolean;
  of(row: Row): Kinds[Kind] | null;
}

type Of<Row, Kind extends ColumnKind> = (row: Row) => Kinds[Kind] | null;

const column =
  <Kind extends ColumnKind>(kind: Kind, indexed: boolean) =>
  <Row>(of: Of<Row, Kind>): Column<Row, Kind> => ({ kind, indexed, of });

export const integer = column('integer', true);
export const integers = column('integers', true);
export const text = column('text', true);
export const boolean = column('boolean', false);
export const search = column('search', false);

/** Every condition that is named has to hold. */
interface Conditions {
  readonly integer: { readonly eq?: number; readonly in?: readonly number[]; readonly atLeast?: number; readonly atMost?: number };
  readonly integers: { readonly has?: number };
  readonly text: { readonly eq?: string; readonly in?: readonly string[] };
  readonly search: { readonly contains?: string };
  readonly boolean: { readonly eq?: boolean };
}

export type Condition<Kind extends ColumnKind = ColumnKind> = Conditions[Kind];

/** Any of the columns named here has to fit, so that a search can look into several. */
export type Where<Extras> = {
  readonly [Name in keyof Extras]?: Extras[Name] extends { readonly kind: infer Kind extends ColumnKind } ? Condition<Kind> : never;
};

/** The types in Postgres. Text compares by bytes, as the fold does: answers are the same on both ways. */
export const sqlType: Readonly<Record<ColumnKind, string>> = {
  integer: 'bigint',
  integers: 'bigint[]',
  text: 'text COLLATE "C"',
  search: 'text COLLATE "C"',
  boolean: 'boolean',
};
