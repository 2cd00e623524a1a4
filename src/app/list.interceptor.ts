import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { operationTable } from './operation-table.ts';
import { baseUrlOf } from '../platform/http/presentation/answers.ts';
import { encodeCursor } from '../platform/http/lists/cursor.ts';
import { pickFields } from '../platform/http/lists/item-fields.ts';
import { type ItemPosition, type ListDefinition, ListPage, type ListRequest, readSort } from '../platform/http/lists/list.ts';
import { type ReadListRequest, readListRequest } from '../platform/http/lists/list-request.ts';
import { listSlot } from '../platform/http/context/request-state.ts';

type Sortable = ItemPosition['value'];
type Item = Readonly<Record<string, unknown>>;

/** The items of a short list that a request asks for, and the end of the page, null when nothing follows. */
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

/** Reads the parameters of every list, cuts the pages of short ones, chooses fields, and links the pages (RFC 8288). */
@Injectable()
export class ListInterceptor implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const list = listOf(request);
    if (list === undefined) return next.handle();
    // Casts: of a route with ids, and of any query.
    const ids = Object.values((request.params ?? {}) as Readonly<Record<string, string>>);
    const wanted = readListRequest(list, (request.query ?? {}) as Readonly<Record<string, unknown>>, ids);
    listSlot.set(request, wanted);
    return next.handle().pipe(map((answer: unknown) => this.answer(list, wanted, ids, answer, request, http.getResponse<FastifyReply>())));
  }

  private answer(
    list: ListDefinition,
    wanted: ReadListRequest,
    ids: readonly string[],
    given: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): unknown {
    const page = given instanceof ListPage ? given : list.paged === 'in memory' ? shortPage(list, given, wanted) : null;
    // Another form of the answer, such as CSV.
    if (page === null) return given;
    const cursor = page.end === null ? null : encodeCursor({ list: [list.name, ...ids], sort: wanted.sort }, page.end);
    this.link(request, reply, wanted, cursor);
    const { fields } = wanted;
    const answer =
      fields === null
        ? page.answer
        : withItems(
            list,
            page.answer,
            itemsOf(list, page.answer).map((item) => pickFields(item, fields)),
          );
    return list.member === null || !wanted.isPaged ? answer : { ...answer, nextCursor: cursor };
  }

  private link(request: FastifyRequest, reply: FastifyReply, { after }: ReadListRequest, cursor: string | null): void {
    // A query may hold further question marks.
    const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.url) ?? [];
    const links = [...(cursor === null ? [] : [['next', cursor] as const]), ...(after === null ? [] : [['first', null] as const])];
    const written = links.map(([relation, to]) => {
      const parameters = new URLSearchParams(query);
      parameters.delete('cursor');
      if (to !== null) parameters.set('cursor', to);
      const rest = parameters.toString();
      return `<${baseUrlOf(request, this.config)}${path.replace(/^\/api/, '')}${rest === '' ? '' : `?${rest}`}>; rel="${relation}"`;
    });
    if (written.length > 0) void reply.header('link', written.join(', '));
  }
}

const listOf = ({ method, routeOptions: { url = '' } }: FastifyRequest): ListDefinition | undefined =>
  method === 'GET' || method === 'HEAD' ? operationTable[`GET ${url.replace(/^\/api/, '')}`]?.list : undefined;

function shortPage(list: ListDefinition, answer: unknown, wanted: ReadListRequest): ListPage | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const { items, end } = pageOf(list, itemsOf(list, answer), wanted);
  return new ListPage(withItems(list, answer, items), end);
}

/** Cast: the answer is as its operation describes it. */
const itemsOf = ({ member }: ListDefinition, answer: object): readonly object[] =>
  (member === null ? answer : (answer as Readonly<Record<string, unknown>>)[member]) as readonly object[];

const withItems = ({ member }: ListDefinition, answer: object, items: readonly unknown[]): object =>
  member === null ? items : { ...answer, [member]: items };
