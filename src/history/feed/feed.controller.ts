import { Readable } from 'node:stream';
import { Controller, Get, Headers, Inject, Query, Req, Res, StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { AccessRecorder } from '../../accounts/accesses/access-recorder.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import { actorOf, type Principal } from '../../platform/http/context/principal.ts';
import { baseUrlOf } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { feedRight } from '../../accounts/rights/right.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import { ndjsonOf } from '../tables.ts';
import { cloudEventOf } from './cloud-event.ts';
import { FeedPages } from './feed-pages.ts';
import { type FeedQuery, readFeedQuery } from './feed-query.ts';
import { FeedReading } from './feed-reading.ts';
import { FeedScopes } from './feed-scopes.ts';
import { FeedStream } from './feed-stream.ts';

/** The log as a feed (docs/spec/beyond.md#B24). */
@Controller('events')
export class FeedController {
  constructor(
    private readonly reading: FeedReading,
    private readonly pages: FeedPages,
    private readonly stream: FeedStream,
    private readonly scopes: FeedScopes,
    private readonly recorder: AccessRecorder,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  @Needs(feedRight)
  async follow(
    @Query() given: Readonly<Record<string, unknown>>,
    @CurrentPrincipal() principal: Principal,
    @Headers('accept') accept = '',
    @Headers('last-event-id') lastEventId: string | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object | string> {
    const query = readFeedQuery(given, accept, lastEventId);
    const scopes = await this.scopes.of(principal, query.scopes);
    const baseUrl = baseUrlOf(request, this.config);
    const present = query.isCloudEvents ? (event: PresentedEvent) => cloudEventOf(event, baseUrl) : (event: PresentedEvent) => event;
    await this.record(principal);
    if (query.form === 'page') return this.page(query, scopes, baseUrl, { principal, reply });
    const after = await this.reading.positionOf(query.after);
    if (query.form === 'lines') {
      const [filter, limit] = [{ ...query, scopes }, query.limit ?? Infinity];
      const lines = query.isCloudEvents
        ? ndjsonOf(this.reading.pieces(filter, after, limit), present)
        : this.reading.lines(filter, after, limit);
      return new StreamableFile(Readable.from(lines, { objectMode: false }), {
        type: 'application/x-ndjson; charset=utf-8',
      });
    }
    void reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
    if (request.method === 'HEAD') return '';
    const signal = this.pages.open(principal, reply);
    return Readable.from(this.stream.frames({ ...query, after, principal, present, signal }), { objectMode: false });
  }

  private async page(
    query: FeedQuery,
    scopes: readonly string[] | null,
    baseUrl: string,
    to: { readonly principal: Principal; readonly reply: FastifyReply },
  ): Promise<object> {
    const page = await this.pages.page({ ...query, scopes }, query, to);
    const next = new URL(to.reply.request.url, baseUrl);
    next.searchParams.set('after', page.position);
    void to.reply.header('link', `<${baseUrl}/events${next.search}>; rel="next"`);
    if (!query.isCloudEvents) return page;
    void to.reply.type('application/cloudevents-batch+json; charset=utf-8');
    return page.events.map((event) => cloudEventOf(event, baseUrl));
  }

  /** An auditor's requests are recorded as all of theirs are (docs/spec/beyond.md#B20). */
  private async record(principal: Principal): Promise<void> {
    if (principal.systemRole !== 'admin') return;
    await this.recorder.record({ projectId: null, kind: 'read', actor: { ...actorOf(principal), tokenId: principal.tokenId } });
  }
}
