import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';
import { Log } from '../../platform/log/log.ts';
import { SubscriptionNotFound } from './refusals.ts';
import { DEFAULT_ACK_SECONDS, DEFAULT_IN_FLIGHT, type SubscriptionKey } from './subscription.ts';
import { isInFlight, positionOfState } from './subscription-state.ts';
import type { StoredSubscription } from './subscription-store.ts';
import { type Nack, Subscriptions } from './subscriptions.ts';
import { CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { FeedReading } from '../../history/feed/feed-reading.ts';
import { requireKnownTypes } from '../../history/feed/feed-query.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { feedRight } from '../../accounts/rights/right.ts';
import {
  type SettledAnswer,
  type SubscriptionAnswer,
  type SubscriptionListAnswer,
  AckDto,
  NackDto,
  PutSubscriptionDto,
  ReadSubscriptionDto,
  ResetDto,
  SUBSCRIPTION_NAME,
} from './subscription.api.ts';
import { SubscriptionReading } from './subscription-reading.ts';
import { SubscriptionRights } from './subscription-rights.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { recordedAsSlot } from '../../accounts/accesses/records-access.ts';

const DEFAULT_LIMIT = 100;

/** Competing consumers of the log (docs/spec/beyond.md#B26). */
@Controller('subscriptions')
@Needs(feedRight)
export class SubscriptionController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly reading: SubscriptionReading,
    private readonly rights: SubscriptionRights,
    private readonly feed: FeedReading,
    private readonly log: Log,
  ) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal): Promise<SubscriptionListAnswer> {
    return { subscriptions: await this.presented(await this.rights.list(principal)) };
  }

  @Get(':name')
  async get(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<SubscriptionAnswer> {
    return this.state(await this.rights.keyOf(principal, name));
  }

  @Put(':name')
  async put(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() body: PutSubscriptionDto,
  ): Promise<SubscriptionAnswer> {
    if (!SUBSCRIPTION_NAME.test(name))
      throw new InvalidInput('name: must be 1 to 64 letters, digits, dots, hyphens and underscores, and begin with a letter or digit');
    const { types, scopes } = body.filter ?? {};
    requireKnownTypes(types ?? [], 'filter.types');
    const { partition = 'project', maxInFlight = DEFAULT_IN_FLIGHT, ackSeconds = DEFAULT_ACK_SECONDS } = body;
    const filter = await this.rights.filterOf(principal, types ?? [], scopes ?? null);
    const key = await this.rights.newKeyOf(principal, name);
    const from = await this.positionOf(body.from ?? '-1', 'from');
    await this.subscriptions.put(key, { filter, partition, maxInFlight, ackSeconds }, from, principal.service?.projectId);
    return this.state(key);
  }

  @Delete(':name')
  async delete(@CurrentPrincipal() principal: Principal, @Param('name') name: string): Promise<object> {
    await this.subscriptions.delete(await this.rights.keyOf(principal, name));
    return success;
  }

  @Post(':name/read')
  @HttpCode(200)
  async read(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() { consumer, limit = DEFAULT_LIMIT, wait = 0 }: ReadSubscriptionDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const key = await this.rights.keyOf(principal, name);
    const page = await this.reading.read(principal, key, { consumer, limit, waitMs: wait * 1_000 }, reply);
    // What a system role reads is recorded (docs/spec/beyond.md#B20).
    if (principal.systemRole !== null) recordedAsSlot.set(request, 'read');
    const events = await this.feed.presented(page.deliveries.map(({ event }) => event));
    // Those of one read have one lease.
    const until = inUtc(page.deliveries[0]?.until ?? 0);
    return {
      deliveries: page.deliveries.flatMap(({ token, attempt }, index) => {
        const event = events[index];
        return event === undefined ? [] : [{ token: String(token), attempt, until, event }];
      }),
      position: String(page.position),
      head: String(page.head),
    };
  }

  @Post(':name/ack')
  @HttpCode(200)
  async acknowledge(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() { tokens }: AckDto,
  ): Promise<SettledAnswer> {
    return settled(await this.subscriptions.acknowledge(await this.rights.keyOf(principal, name), tokens.map(Number)));
  }

  @Post(':name/nack')
  @HttpCode(200)
  async refuse(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() { tokens, action, reason = '' }: NackDto,
  ): Promise<SettledAnswer> {
    const nack: Nack = action === 'retry' ? { action } : { action, reason };
    return settled(await this.subscriptions.refuse(await this.rights.keyOf(principal, name), tokens.map(Number), nack));
  }

  @Post(':name/reset')
  @HttpCode(200)
  async reset(
    @CurrentPrincipal() principal: Principal,
    @Param('name') name: string,
    @Body() { to }: ResetDto,
  ): Promise<SubscriptionAnswer> {
    const key = await this.rights.keyOf(principal, name);
    await this.subscriptions.reset(key, await this.positionOf(to, 'to'));
    return this.state(key);
  }

  private async state(key: SubscriptionKey): Promise<SubscriptionAnswer> {
    const [answer] = await this.presented([await this.subscriptions.get(key)]);
    if (answer === undefined) throw new SubscriptionNotFound(key.name);
    return answer;
  }

  /** The events after the positions are read in one query. */
  private async presented(stored: readonly StoredSubscription[]): Promise<SubscriptionAnswer[]> {
    const head = await this.log.head();
    const nexts = await this.subscriptions.eventsAt(stored.map(({ state }) => positionOfState(state) + 1));
    const byPosition = new Map(nexts.map((event) => [event.n, event]));
    return stored.map((one) => presentSubscription(one, head, byPosition.get(positionOfState(one.state) + 1)));
  }

  private positionOf(given: string, param: string): Promise<number> {
    return this.feed.positionOf(given === 'now' ? null : Number(given), param);
  }
}

const settled = ({ done, stale }: { readonly done: number; readonly stale: readonly number[] }): SettledAnswer => ({
  done,
  stale: stale.map(String),
});

/** `next`: the event after the position; undefined at the end of the log. */
function presentSubscription(
  { key, settings, state, createdAt, now, parked }: StoredSubscription,
  head: number,
  next: Pick<LogEvent, 'recordedAt'> | undefined,
): SubscriptionAnswer {
  const { filter, partition, maxInFlight, ackSeconds } = settings;
  const position = positionOfState(state);
  const leased = state.open.filter((event) => isInFlight(event, now));
  const inFlight = new Map<string, number>();
  for (const { lease } of leased) if (lease !== null) inFlight.set(lease.consumer, (inFlight.get(lease.consumer) ?? 0) + 1);
  return {
    name: key.name,
    filter: { types: filter.types.length === 0 ? null : [...filter.types], scopes: filter.scopes === null ? null : [...filter.scopes] },
    partition,
    maxInFlight,
    ackSeconds,
    position: String(position),
    head: String(head),
    gap: Math.max(0, head - position),
    lag: next === undefined ? 0 : Math.max(0, now - Date.parse(next.recordedAt)) / 1_000,
    inFlight: leased.length,
    waiting: state.open.length - leased.length,
    parked,
    consumers: [...state.consumers].map(([name, at]) => ({ name, inFlight: inFlight.get(name) ?? 0, lastReadAt: inUtc(at) })),
    createdAt: inUtc(createdAt.getTime()),
  };
}
