import { DomainError } from '../../../kernel/errors.ts';
import { normalized, type Where } from '../authoring/columns.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { setTimeout } from 'node:timers/promises';

export interface ListItem<Row> {
  readonly key: string;
  readonly row: Row;
  /** The row is as it was before an event that could not be applied. */
  readonly isParked?: true;
}

/** The rows that can be read, and the keys of the parked ones. */
export const readableOf = <Row>(
  items: readonly ListItem<Row>[],
): { readonly rows: readonly Row[]; readonly parked: readonly string[] } => ({
  rows: items.flatMap(({ row, isParked }) => (isParked ? [] : [row])),
  parked: items.flatMap(({ key, isParked }) => (isParked ? [key] : [])),
});

export interface ListOrder<Name extends string> {
  /** Default: the key. Rows whose column is null are left out. */
  readonly by?: Name;
  readonly direction?: 'asc' | 'desc';
}

/** A condition on the row with the same key in another view. */
export interface AlsoIn {
  readonly view: View;
  readonly where: Where<Readonly<Record<string, never>>>;
}

/** Holds the conditions against the columns of the view. */
export const alsoIn = <Row extends object, Extras>(view: View<Row, Extras>, where: Where<Extras>): AlsoIn => ({ view, where });

/** The position of an item in an ordered list, as a cursor holds it. `value` is that of the ordering column. */
export interface ListPosition {
  readonly key: string;
  readonly value?: number | string | boolean;
}

export interface ListQuery<Extras> {
  /** One project's or account's rows. Required as of an instant, because a fold reads one scope. */
  readonly scope?: string;
  /** The rows of several scopes; not as of an instant. */
  readonly scopes?: readonly string[];
  /** Rows with these keys only. */
  readonly keys?: readonly string[];
  /** Every condition has to hold. */
  readonly where?: Where<Extras>;
  /** At least one of these has to hold, as in a search over several columns. */
  readonly anyOf?: readonly Where<Extras>[];
  /** Rows whose key has such a row in each of these views. */
  readonly also?: readonly AlsoIn[];
  /** By summary (`authoring/summary.ts`). */
  readonly summary?: Readonly<Record<string, string | null>>;
  readonly order?: ListOrder<Extract<keyof Extras, string>>;
  /** Items after this position only. */
  readonly after?: ListPosition;
  /** Default: all. */
  readonly limit?: number;
  readonly parked?: ParkedRows;
}

/**
 * How a read treats a parked row. `refused` (default): rejects with `KeyParked`, because the row is out of date. `as before`: answers the
 * row before the parked event, for readers of all projects, which one parked row must not stop.
 */
export type ParkedRows = 'refused' | 'as before';

/** The rows of several views, null where there is none. */
export type RowsOf<Wanted extends readonly View[]> = {
  readonly [Index in keyof Wanted]: Wanted[Index] extends View<infer Row> ? Row | null : never;
};

/** All reads of read models. Tables answer for now, a fold of the same views for any instant. */
export interface Views {
  get<Row extends object>(view: View<Row>, key: string): Promise<Row | null>;
  /** The rows of one key in several views, in one round trip. */
  across<const Wanted extends readonly View[]>(views: Wanted, key: string): Promise<RowsOf<Wanted>>;
  /** The rows that exist, by key. */
  many<Row extends object>(view: View<Row>, keys: readonly string[], parked?: ParkedRows): Promise<ReadonlyMap<string, Row>>;
  list<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    query?: ListQuery<Extras>,
  ): Promise<readonly ListItem<Row>[]>;
  /** How many items a list has. */
  count<Row extends object, Extras extends Columns<Row>>(view: View<Row, Extras>, query: ListQuery<Extras>): Promise<number>;
  /** The first item of each of these groups, which are values of a text column. */
  firsts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    groups: readonly string[],
    query: Pick<ListQuery<Extras>, 'scope' | 'also' | 'order' | 'parked'>,
  ): Promise<ReadonlyMap<string, Row>>;
  /** How many rows have each of these values of a text column. */
  counts<Row extends object, Extras extends Columns<Row>>(
    view: View<Row, Extras>,
    column: Extract<keyof Extras, string>,
    values: readonly string[],
    scope: string,
  ): Promise<ReadonlyMap<string, number>>;
  /** The views that an answer reads of a scope, named before its first read, so that a fold reads the events of the scope once for all of them. */
  prefetch(scope: string, views: readonly View[]): void;
  /** The `n` of the last event that the answers are sure to contain. */
  position(): number;
}

export abstract class ViewsAt {
  abstract now(): Views;
  /** As of the event `n`, included. */
  abstract asOf(n: number): Views;
  /** Several reads of the tables at one position, in one transaction. */
  abstract snapshot<T>(work: (views: Views) => Promise<T>): Promise<T>;
}

/** The row is out of date behind a parked event, which an operator has to retry or skip. Answered with 503. */
export class KeyParked extends DomainError {
  readonly code = 'KEY_PARKED';

  constructor(
    readonly view: string,
    readonly key: string,
  ) {
    super(`${view} ${key} cannot be read at the moment: one of its events could not be applied and waits for an operator`);
  }
}

/** For readers of many rows, which one parked row must not stop. */
export async function unlessParked<Row>(reading: Promise<Row>): Promise<Row | 'parked'> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof KeyParked) return 'parked';
    throw error;
  }
}

/** The position of an item, for the cursor of the next page. */
export function listPositionOf<Row extends object>(view: View<Row>, item: ListItem<Row>, order: ListOrder<string> = {}): ListPosition {
  if (order.by === undefined) return { key: item.key };
  const column = view.columns[order.by];
  const value = column === undefined ? null : normalized(column.kind, column.of(item.row));
  return value === null || typeof value === 'object' ? { key: item.key } : { key: item.key, value };
}

const LOOK_MS = 50;
const PATIENCE_MS = 30_000;

/** The read models with every event up to a position, for a process manager that decides by them. */
export async function viewsContaining(viewsAt: Pick<ViewsAt, 'now'>, n: number): Promise<Views> {
  const views = viewsAt.now();
  for (let waited = 0; views.position() < n; waited += LOOK_MS) {
    if (waited >= PATIENCE_MS) throw new Error('the read models are behind the log');
    await setTimeout(LOOK_MS);
  }
  return views;
}
