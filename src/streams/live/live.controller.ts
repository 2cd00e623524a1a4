import type { Readable } from 'node:stream';
import { Controller, Get, Headers, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { UUID_PATTERN } from '../../kernel/ids.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import { whenClosed } from '../../platform/http/context/disconnect-signal.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { HistoryReading } from '../../history/history-reading.ts';
import { StreamBudget } from '../../accounts/budgets/stream-budget.ts';
import { LiveClient } from './live-client.ts';
import { LiveFeed } from './live-feed.ts';
import { LiveResults } from './live-results.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { StreamRights } from '../../accounts/rights/stream-rights.ts';
import { projectStream } from '../../kernel/stream-names.ts';

/** Live events and results of a project as server-sent events (docs/spec/beyond.md#B9). */
@Controller('project/:id')
export class LiveController {
  constructor(
    private readonly feed: LiveFeed,
    private readonly rights: StreamRights,
    private readonly results: LiveResults,
    private readonly history: HistoryReading,
    private readonly budget: StreamBudget,
  ) {}

  /** `lastEventId` in the query replaces the header, which browsers cannot set on the first connection. */
  @Get('live')
  @Needs(projectRight('read', { scope: 'feed' }))
  async live(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() principal: Principal,
    @Headers('last-event-id') seen: string | undefined,
    @Query('lastEventId') asked: unknown,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | string> {
    const client = new LiveClient(projectStream(projectId));
    const after = await this.positionOf(client.scope, seen ?? asked);
    void reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return '';
    client.onClose(this.budget.openLive(principal, projectId));
    const end = (): void => {
      client.close();
    };
    whenClosed(reply, end);
    client.onClose(this.rights.watch({ projectId, principal, needs: 'read', scope: 'feed', end }));
    this.feed.join(client, after).catch(() => {
      client.close();
    });
    this.results.watch(client.scope);
    return client.out;
  }

  /** Null when only new events are wanted. */
  private async positionOf(scope: string, given: unknown): Promise<number | null> {
    if (given === undefined || given === '') return null;
    const position = typeof given === 'string' && UUID_PATTERN.test(given) ? await this.history.positionOf(scope, given) : null;
    if (position === null) throw new InvalidInput('Last-Event-ID: is not the id of an event of this project');
    return position;
  }
}
