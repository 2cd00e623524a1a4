import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config/config.ts';
import { stateOf } from '../context/request-state.ts';
import { operationTable } from '../../../app/operation-table.ts';
import { baseUrlOf } from '../presentation/answers.ts';
import { encodeCursor } from './cursor.ts';
import { pickFields } from './item-fields.ts';
import { type ListDefinition, ListPage } from './list.ts';
import { type ReadListRequest, readListRequest } from './list-request.ts';
import { pageOf } from './short-list.ts';

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
    stateOf(request).list = wanted;
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
