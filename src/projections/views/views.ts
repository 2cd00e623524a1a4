import { DomainError } from '../../kernel/errors.ts';
import type { Where } from '../authoring/columns.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { normal } from '../authoring/normal.ts';

export interface Item<Row> {
  readonly key: string;
  readonly row: Row;
  /** It is as it was before an event that could not be folded. */
  readonly isParked?: true;
}

/** What can be read, and the keys of what cannot at the moment. */
export const readableOf = <Row>(items: readonly Item<Row>[]): { readonly rows: readonly Row[]; readonly parked: readonly string[] } => ({
  rows: items.flatMap(({ row, isParked }) => (isParked ? [] : [row])),
  parked: items.flatMap(({ key, isParked }) => (isParked ? [key] : [])),
});

export interface Order<Name extends string> {
  /** Default: the key. Rows whose column is null are left out. */
  readonly by?: Name;
  readonly direction?: 'asc' | 'desc';
}

/** The place of an item in an ordered list: what a cursor holds. `value` is that of the ordering column. */
export interface ListPosition {
  readonly key: string;
  readonly value?: number | string | boolean;
}

export interface ListQuery<Extras> {
  /** One project's or account's rows. Required as of an instant: a fold reads one scope. */
  readonly scope?: string;
  /** Every condition has to hold. */
  readonly where?: Where<Extras>;
  /** At least one of these has to hold, for a search that looks into several columns. */
  readonly anyOf?: readonly Where<Extras>[];
  readonly order?: Order<Extract<keyof Extras, string>>;
  /** Strictly after this place. */
  readonly after?: ListPosition;
  /** Default: all. */
  readonly limit?: number;
  readonly parked?: ParkedRows;
}

/**
 * What becomes of a read that meets a row which waits for an operator. By default it is refused, for nobody may take the row for what it is not; who looks
 * after all projects at once takes it as it was before, so that one does not hold up the others.
 */
export type ParkedRows = 'refused' | 'as before';

/** The rows of several views, each null where there is none. */
export type RowsOf<Wanted extends readonly View[]> = {
  readonly [Index in keyof Wanted]: Wanted[Index] extends View<infer Row> ? Row | null : never;
};

/** What queries read. The tables answer for now, the fold for any instant: one code path, two times. */
export interface Views {
  get<Row extends object>(view: View<Row>, key: string): Promise<Row | null>;
  /** The rows of one key in several views, in their order, in one round trip. */
  across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>>;
  /** The rows that exist, by key. */
  many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>>;
  list<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query?: ListQuery<Extras>): Promise<readonly Item<Row>[]>;
  /** The `n` of the last event that the answers stand on; a table may be a moment further. */
  position(): number;
}

export interface ViewsAt {
  now(): Views;
  /** As of the event `n`, included. */
  asOf(n: number): Views;
  /** Several reads at one instant, for an answer that must not mix two; `position()` is that instant. Ends with the work. */
  snapshot<T>(work: (views: Views) => Promise<T>): Promise<T>;
}

/** Injection token. */
export const VIEWS_AT = Symbol('ViewsAt');

/** An event that could not be folded stands in the way of this row; an operator retries or skips it. Answered with 503. */
export class KeyParked extends DomainError {
  readonly code = 'KEY_PARKED';

  constructor(
    readonly view: string,
    readonly key: string,
  ) {
    super(`${view} ${key} cannot be read at the moment: an event of it could not be taken in, and waits for an operator`);
  }
}

/** For who looks after many: one row that an operator has to see to keeps nobody else waiting. */
export async function unlessParked<Row>(reading: Promise<Row>): Promise<Row | 'parked'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KeyParked) return 'parked';
    throw error;
  }
}

/** The place of an item, for the cursor of the next page. */
export function placeOf<Row extends object>(view: View<Row>, item: Item<Row>, order: Order<string> = {}): ListPosition {
  if (order.by === undefined) return { key: item.key };
  const column = view.columns[order.by];
  const value = column === undefined ? null : normal(column.kind, column.of(item.row));
  return value === null || typeof value === 'object' ? { key: item.key } : { key: item.key, value };
}
