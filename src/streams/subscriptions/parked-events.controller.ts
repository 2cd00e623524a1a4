import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Subscriptions } from './subscriptions.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { FeedReading } from '../../history/feed/feed-reading.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { feedRight } from '../../accounts/rights/right.ts';
import { ReplayParkedDto } from './subscription.api.ts';
import { SubscriptionRights } from './subscription-rights.ts';
import { recordedAsSlot } from '../../accounts/accesses/records-access.ts';

/** The dead letters of a subscription (docs/spec/beyond.md#B26). */
@Controller('subscriptions/:name/parked')
@Needs(feedRight)
export class ParkedEventsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly rights: SubscriptionRights,
    private readonly feed: FeedReading,
  ) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal, @Param('name') name: string, @Req() request: FastifyRequest): Promise<object> {
    const key = await this.rights.keyOf(principal, name);
    const { settings } = await this.subscriptions.get(key);
    const scopes = await this.rights.scopesOf(principal, settings.filter);
    if (principal.systemRole !== null) recordedAsSlot.set(request, 'read');
    const parked = await this.subscriptions.parked(key);
    const found = await this.subscriptions.eventsAt(parked.map(({ n }) => n));
    const readable = found.filter(({ scope }) => scopes?.includes(scope) ?? true);
    const events = new Map((await this.feed.presented(readable)).map((event) => [event.position, event]));
    return {
      parked: parked.flatMap(({ n, reason, consumer, attempts, parkedAt }) => {
        const position = String(n);
        const event = events.get(position);
        return event === undefined ? [] : [{ position, reason, consumer, attempts, parkedAt: inUtc(parkedAt.getTime()), event }];
      }),
    };
  }

  @Post('replay')
  @HttpCode(200)
  async replay(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() { positions }: ReplayParkedDto,
  ): Promise<{ replayed: number }> {
    return { replayed: await this.subscriptions.replay(await this.rights.keyOf(principal, name), positions?.map(Number) ?? null) };
  }

  @Delete(':position')
  async discard(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Param('position') position: string,
  ): Promise<object> {
    const key = await this.rights.keyOf(principal, name);
    const isParked = /^\d{1,15}$/.test(position) && (await this.subscriptions.discard(key, Number(position)));
    if (!isParked) throw new NotFound('The event is not parked in this subscription.');
    return success;
  }
}
