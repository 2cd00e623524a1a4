import { type ItemPosition, type ListDefinition, type ListRequest, readSort } from './list.ts';

type Sortable = ItemPosition['value'];
type Item = Readonly<Record<string, unknown>>;

/** The items of a short list that a request asks for, and where the page ends (null: nothing follows). */
export function pageOf(
  list: ListDefinition,
  items: readonly object[],
  request: ListRequest,
): { readonly items: readonly object[]; readonly end: ItemPosition | null } {
  const found = (items as readonly Item[]).filter((item) => isWanted(list, item, request));
  if (!request.isPaged && !request.isSorted) return { items: found, end: null };
  const { by, direction } = readSort(request.sort);
  const sign = direction === 'asc' ? 1 : -1;
  const positioned = found.map((item) => ({ item, at: { value: sortable(item[by]), key: String(item[list.key ?? '']) } }));
  positioned.sort((left, right) => sign * compare(left.at, right.at));
  const { after } = request;
  const rest = after === null ? positioned : positioned.filter(({ at }) => sign * compare(at, after) > 0);
  const page = request.limit === null ? rest : rest.slice(0, request.limit);
  return { items: page.map(({ item }) => item), end: page.length < rest.length ? (page.at(-1)?.at ?? null) : null };
}

function isWanted({ status, search }: ListDefinition, item: Item, request: ListRequest): boolean {
  if (request.status !== null && status?.of?.(item) !== request.status) return false;
  const wanted = request.search?.toLowerCase();
  return wanted === undefined || (search ?? []).some((field) => textIn(item[field]).toLowerCase().includes(wanted));
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const NUMBER = /^\d{1,15}$/;

/** Text in any case; instants and numbers that are written as text compare as what they mean. */
function sortable(value: unknown): Sortable {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'string') return null;
  if (INSTANT.test(value)) return Date.parse(value);
  return NUMBER.test(value) ? Number(value) : value.toLowerCase();
}

const KINDS = ['object', 'boolean', 'number', 'string'];

function compare(left: ItemPosition, right: ItemPosition): number {
  const kinds = KINDS.indexOf(typeof left.value) - KINDS.indexOf(typeof right.value);
  return kinds || order(left.value, right.value) || order(left.key, right.key);
}

const order = (left: Sortable, right: Sortable): number => (left === right || left === null || right === null ? 0 : left < right ? -1 : 1);
