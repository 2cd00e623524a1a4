import { InvalidInput } from '../../../kernel/errors.ts';
import type { Columns, View } from '../authoring/define-view.ts';
import { type ListItem, type ListPosition, listPositionOf, type ListQuery, type Views } from './views.ts';

/** The end of a page, as a cursor holds it. */
export interface PageEnd {
  /** The value of the column that orders the list; null when the key does. */
  readonly value: string | number | boolean | null;
  readonly key: string;
}

export interface ViewPage<Row> {
  readonly items: readonly ListItem<Row>[];
  /** Null on the last page. */
  readonly end: PageEnd | null;
}

/** A page of a view, in the order of one of its columns or of its keys. One row more than the page says whether another follows. */
export async function pageOfView<Row extends object, Extras extends Columns<Row>>(
  views: Views,
  view: View<Row, Extras>,
  query: ListQuery<Extras>,
  limit: number | null,
  after: PageEnd | null,
): Promise<ViewPage<Row>> {
  const position = after === null ? {} : { after: positionIn(view, after, query.order?.by) };
  const items = await views.list(view, { ...query, ...position, ...(limit !== null && { limit: limit + 1 }) });
  const page = limit === null ? items : items.slice(0, limit);
  const last = page.at(-1);
  if (last === undefined || page.length === items.length) return { items: page, end: null };
  const { key, value = null } = listPositionOf(view, last, query.order);
  return { items: page, end: { value, key } };
}

const TYPES = {
  integer: 'number',
  text: 'string',
  search: 'string',
  boolean: 'boolean',
  integers: 'object',
  texts: 'object',
  grams: 'object',
} as const;

/** A cursor comes from a client: a value of another type than the column's would be refused by Postgres. */
export function positionIn(view: View, { key, value }: PageEnd, by: string | undefined): ListPosition {
  if (by === undefined) return { key };
  const kind = view.columns[by]?.kind;
  if (value === null || kind === undefined || typeof value !== TYPES[kind] || (kind === 'integer' && !Number.isSafeInteger(value)))
    throw new InvalidInput('cursor: is not a cursor of this list');
  return { key, value };
}
