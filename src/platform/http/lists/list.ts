import type { Schema } from '../description/schema.ts';

/** A field of an item by which pages can be sorted; with a `-` the highest comes first. */
type SortOf<Name extends string> = Name | `-${Name}`;

export interface ListStatus<Item> {
  readonly words: readonly string[];
  /** When absent, the handler filters. */
  of?(item: Item): string | null;
}

/**
 * A list of the API as clients page, sort and filter it (docs/spec/beyond.md#B16). It stands in the row of its operation, from which the parameters
 * are described and the requests are served.
 */
export interface ListDefinition {
  /** Tells the cursors of one list from those of another. */
  readonly name: string;
  /** The member of the answer that holds the items; null when the answer is the array. */
  readonly member: string | null;
  /** What `fields` may name. */
  readonly item: Schema;
  /** The field that no two items of a short list share. */
  readonly key: string | null;
  /** The first is the order of pages without `sort`. */
  readonly sorts: readonly string[];
  readonly status: ListStatus<object> | null;
  /** What `search` covers, in words; null when the list cannot be searched. */
  readonly search: readonly string[] | null;
  /** `by handler`: the handler reads one page through an index. `in memory`: the handler answers all items, whose number is bounded. */
  readonly paged: 'by handler' | 'in memory';
  /** Null for all items, unless `limit` or `cursor` is given. */
  readonly defaultLimit: number | null;
  /** Parameters besides those of lists; any other is refused. When null, unknown ones are ignored, as old clients expect. */
  readonly otherParameters: readonly string[] | null;
  /** `order=asc` or `desc` says the direction where `sort` is missing. */
  readonly hasOrder: boolean;
}

interface InMemory<Item, Name extends string> {
  readonly name: string;
  readonly member?: string;
  readonly key: Name;
  readonly sorts: readonly [SortOf<Name>, ...SortOf<Name>[]];
  readonly status?: ListStatus<Item>;
  readonly search?: readonly Name[];
}

/** A short list: its handler answers all items, of which the page is cut. */
export const shortList = <Item extends object>(
  item: Schema<Item>,
  { name, member, key, sorts, status, search }: InMemory<Item, Extract<keyof Item, string>>,
): ListDefinition => ({
  name,
  member: member ?? null,
  item,
  key,
  sorts,
  search: search ?? null,
  paged: 'in memory',
  defaultLimit: null,
  otherParameters: null,
  hasOrder: false,
  status: status ?? null,
});

interface ByHandler {
  readonly name: string;
  readonly member?: string;
  /** Also by what the answer does not show. */
  readonly sorts: readonly [string, ...string[]];
  readonly status?: readonly string[];
  readonly search?: readonly string[];
  readonly defaultLimit: number | null;
  readonly otherParameters?: readonly string[];
  readonly hasOrder?: true;
}

/** A long list: its handler reads one page, by the request that `CurrentList` gives it, and answers a `ListPage`. */
export const pagedList = (
  item: Schema,
  { name, member, sorts, status, search, defaultLimit, otherParameters, hasOrder }: ByHandler,
): ListDefinition => ({
  name,
  member: member ?? null,
  item,
  key: null,
  sorts,
  search: search ?? null,
  paged: 'by handler',
  defaultLimit,
  otherParameters: otherParameters ?? null,
  hasOrder: hasOrder ?? false,
  status: status === undefined ? null : { words: status },
});

/** The end of a page: keyset paging continues after it, whatever is inserted or deleted meanwhile. */
export interface ItemPosition {
  /** The value of the field that the list is sorted by. */
  readonly value: string | number | boolean | null;
  readonly key: string;
}

export interface Sort {
  readonly by: string;
  readonly direction: 'asc' | 'desc';
}

export const readSort = (sort: string): Sort =>
  sort.startsWith('-') ? { by: sort.slice(1), direction: 'desc' } : { by: sort, direction: 'asc' };

/** Columns of the order of creation and of the name, in lists of a project. */
export const orderOf = ({ sort }: Pick<ListRequest, 'sort'>): { readonly by: 'order' | 'name'; readonly direction: 'asc' | 'desc' } => {
  const { by, direction } = readSort(sort);
  return { by: by === 'name' ? 'name' : 'order', direction };
};

/** What a client asks of a list. */
export interface ListRequest {
  /** When false, the answer is the one of the interface, whole and in its own order. */
  readonly isPaged: boolean;
  /** Null for all. */
  readonly limit: number | null;
  /** As the client writes it. */
  readonly sort: string;
  readonly isSorted: boolean;
  readonly after: ItemPosition | null;
  readonly status: string | null;
  readonly search: string | null;
}

/** A page that a handler has read. */
export class ListPage {
  constructor(
    /** With the items, without a cursor. */
    readonly answer: object,
    /** Null on the last page. */
    readonly end: ItemPosition | null,
  ) {}
}
