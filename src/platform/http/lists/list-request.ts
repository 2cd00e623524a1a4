import { nearestName } from '../../../kernel/nearest-name.ts';
import { FoundProblems, InvalidInput, problemOf } from '../../../kernel/errors.ts';
import { integer, type Schema, text, word } from '../description/schema.ts';
import { isPlainText } from '../validation/fields.ts';
import { decodeCursor } from './cursor.ts';
import { readWantedFields, type WantedFields } from './item-fields.ts';
import { type ListDefinition, type ListRequest, readSort } from './list.ts';

const LIST_PARAMETERS = ['limit', 'cursor', 'sort', 'fields'];
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
/** A cursor holds the value that its list is sorted by, at most a name. */
const MAX_CURSOR = 4_000;
const MAX_FIELDS = 100;

type Query = Readonly<Record<string, unknown>>;

export interface ReadListRequest extends ListRequest {
  /** Null for whole items. */
  readonly fields: WantedFields | null;
}

/** `ids`: those of the path, to which a cursor belongs, too. */
export function readListRequest(list: ListDefinition, query: Query, ids: readonly string[]): ReadListRequest {
  const found = new FoundProblems();
  found.read(() => {
    refuseUnknown(list, query);
  });
  const sort = found.read(() => sortOf(list, query));
  const cursor = found.read(() => queryText(query, 'cursor', MAX_CURSOR)) ?? null;
  const fields = query['fields'];
  const limit = found.read(() => limitOf(query['limit'], cursor === null ? list.defaultLimit : DEFAULT_LIMIT)) ?? null;
  const owner = { list: [list.name, ...ids], sort: sort ?? '' };
  const read = {
    isPaged: query['limit'] !== undefined || cursor !== null || list.defaultLimit !== null,
    limit,
    sort: owner.sort,
    isSorted: query['sort'] !== undefined,
    // A cursor belongs to the order that is asked for.
    after: (sort === undefined || cursor === null ? null : found.read(() => decodeCursor(owner, cursor))) ?? null,
    status: found.read(() => statusOf(list, query['status'])) ?? null,
    search: list.search === null ? null : (found.read(() => queryText(query, 'search', 200)) ?? '').trim() || null,
    fields: fields === undefined ? null : (found.read(() => readWantedFields(namesOf(fields), list.item)) ?? null),
  };
  found.refuse();
  return read;
}

export function limitOf(value: unknown, missing: number | null): number | null {
  if (value === undefined) return missing;
  const limit = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : NaN;
  if (!(limit >= 1 && limit <= MAX_LIMIT))
    throw new InvalidInput(`limit: must be a whole number from 1 to ${String(MAX_LIMIT)}`, { allowed: { minimum: 1, maximum: MAX_LIMIT } });
  return limit;
}

function refuseUnknown({ otherParameters, status, search }: ListDefinition, query: Query): void {
  if (otherParameters === null) return;
  const states = status === null ? [] : ['status'];
  const known = [...LIST_PARAMETERS, ...states, ...(search === null ? [] : ['search']), ...otherParameters];
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw new InvalidInput(
    unknown.map((name) => {
      const nearest = nearestName(name, known);
      return problemOf(`${name.slice(0, 60)}: is not a known parameter${nearest === null ? '' : `; did you mean "${nearest}"?`}`);
    }),
  );
}

function sortOf({ sorts, hasOrder }: ListDefinition, { sort: value, order }: Query): string {
  const [first = ''] = sorts;
  if (value === undefined) {
    if (!hasOrder || order === undefined) return first;
    if (order !== 'asc' && order !== 'desc') throw new InvalidInput('order: must be asc or desc', { allowed: ['asc', 'desc'] });
    return `${order === 'desc' ? '-' : ''}${readSort(first).by}`;
  }
  const known = sorts.map((sort) => readSort(sort).by);
  if (typeof value !== 'string' || !known.includes(readSort(value).by))
    throw new InvalidInput(`sort: must be one of ${known.join(', ')}; with a - before it, the highest comes first`, { allowed: known });
  return value;
}

function statusOf({ status }: ListDefinition, value: unknown): string | null {
  // Without the list's own states, `status` is no parameter of it.
  if (status === null || value === undefined || value === '') return null;
  if (typeof value !== 'string' || !status.words.includes(value))
    throw new InvalidInput(`status: must be one of ${status.words.join(', ')}`, { allowed: status.words });
  return value;
}

export function queryText(query: Query, name: string, most: number): string | null {
  const value = query[name];
  if (value === undefined) return null;
  if (!isPlainText(value, most))
    throw new InvalidInput(`${name}: must be text of at most ${String(most)} characters without control characters`);
  return value;
}

function namesOf(value: unknown): readonly string[] {
  const given = [value].flat();
  if (!given.every((one): one is string => typeof one === 'string')) throw new InvalidInput('fields: must be names, separated by commas');
  const names = given.flatMap((one) => one.split(','));
  if (names.length > MAX_FIELDS) throw new InvalidInput(`fields: must be at most ${String(MAX_FIELDS)} names, separated by commas`);
  return names;
}

/** The parameters of a list, for the description of its operation. */
export function listParameters({
  sorts,
  status,
  search,
  defaultLimit,
}: ListDefinition): Readonly<Record<string, { readonly schema: Schema }>> {
  const names = sorts.map((sort) => readSort(sort).by);
  const orders = names.flatMap((name) => [name, `-${name}`]);
  const limit = integer(
    `Items of a page; ${defaultLimit === null ? 'without it and `cursor` all items are answered' : 'the rest follows by `cursor`'}`,
    {
      minimum: 1,
      maximum: MAX_LIMIT,
      ...(defaultLimit !== null && { default: defaultLimit }),
    },
  );
  return {
    limit: { schema: limit },
    cursor: { schema: text('Of the previous page: from the `Link` header with `rel="next"`, or `nextCursor`', { maxLength: MAX_CURSOR }) },
    sort: { schema: word(orders, 'The order; with `-` the highest first', sorts[0] === undefined ? {} : { default: sorts[0] }) },
    ...(status !== null && { status: { schema: word(status.words, 'Only in this state') } }),
    ...(search !== null && { search: { schema: text(`Part of ${search.join(', ')}, in any case`, { maxLength: 200 }) } }),
    fields: { schema: text('Only these members of each item, separated by commas; members of members by a dot') },
  };
}
