import { Controller, Get, Headers, Param, Query, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { UUID_PATTERN } from '../kernel/ids.ts';
import { CurrentList, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { ListPage, type ListRequest } from '../platform/http/lists/list.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { FeedPages } from './feed/feed-pages.ts';
import { readHistoryFollowing } from './feed/following.ts';
import { type HistoryQuery, readHistoryQuery, textsOf } from './history-query.ts';
import { HistoryFiles } from './history-files.ts';
import { HistoryReading } from './history-reading.ts';
import { csvOf, ndjsonOf } from './tables.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { projectRight, systemReader } from '../accounts/rights/right.ts';
import { requireScopes } from '../accounts/rights/scopes.ts';
import { projectStream } from '../kernel/stream-names.ts';

type QueryParameters = Record<string, unknown>;

interface Asked {
  readonly principal: Principal;
  readonly reply: FastifyReply;
}

/** The history of events and their chains (docs/spec/beyond.md#B2, #B4). */
@Controller()
export class HistoryController {
  constructor(
    private readonly reading: HistoryReading,
    private readonly pages: FeedPages,
    private readonly files: HistoryFiles,
  ) {}

  @Get('project/:id/history')
  @Needs(projectRight('read', { afterDeletion: true }))
  async ofProject(
    @Param('id') projectId: string,
    @Query() given: QueryParameters,
    @CurrentList() list: ListRequest,
    @CurrentPrincipal() principal: Principal,
    @Headers('accept') accept = '',
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const scope = projectStream(projectId);
    const following = readHistoryFollowing(given);
    if (following !== null) {
      requireScopes(principal, ['feed']);
      const filter = { types: textsOf(given, 'type'), scopes: [scope] };
      return this.pages.page(filter, { ...following, limit: list.limit }, { principal, reply });
    }
    const query = readHistoryQuery(given, list, accept);
    const answer = await this.answer(query, scope, { principal, reply });
    if (!(answer instanceof ListPage)) return answer;
    const deletedAt = await this.reading.deletedAt(scope);
    return deletedAt === null ? answer : new ListPage({ ...answer.answer, deletedAt }, answer.end);
  }

  @Get('history')
  @Needs(systemReader)
  ofAll(
    @Query() given: QueryParameters,
    @CurrentList() list: ListRequest,
    @CurrentPrincipal() principal: Principal,
    @Headers('accept') accept = '',
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    return this.answer(readHistoryQuery(given, list, accept), null, { principal, reply });
  }

  @Get('project/:id/history/:eventId/chain')
  @Needs(projectRight('read', { afterDeletion: true }))
  async chain(@Param('id') projectId: string, @Param('eventId') eventId: string): Promise<object> {
    const events = UUID_PATTERN.test(eventId) ? await this.reading.chain(projectStream(projectId), eventId) : null;
    if (events === null) throw new NotFound();
    return { events };
  }

  private async answer(query: HistoryQuery, scope: string | null, { principal, reply }: Asked): Promise<ListPage | StreamableFile> {
    if (query.format === 'json') return this.reading.page(query, scope);
    const batches = this.reading.batches(query, scope);
    const file =
      query.format === 'csv'
        ? { name: 'history.csv', type: 'text/csv', chunks: csvOf(batches) }
        : { name: 'history.ndjson', type: 'application/x-ndjson', chunks: ndjsonOf(batches) };
    return this.files.answer(file, principal, reply);
  }
}
