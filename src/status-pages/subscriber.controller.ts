import { Body, Controller, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { SubscriberStore } from './subscribers/subscriber-store.ts';
import { Wake } from '../platform/postgres/wake.ts';
import { STATUS_NOTICES } from './subscribers/status-outbox.ts';
import { CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, editorRight } from '../accounts/rights/right.ts';
import type { RemovedSubscriberAnswer, RetriedMessagesAnswer, SubscriberCountsAnswer } from './subscriber.api.ts';
import { SubscriberRemovalDto } from './status-page.dto.ts';
import { StatusPageRights } from './status-page-rights.ts';

/** The subscribers of a status page, whom editors count and remove, and never see (docs/spec/beyond.md#B14). */
@Controller('status-pages/:id/subscribers')
@Needs(editorRight)
export class SubscriberController {
  constructor(
    private readonly subscribers: SubscriberStore,
    private readonly rights: StatusPageRights,
    @Inject(Wake) private readonly wake: Pick<Wake, 'ring'>,
  ) {}

  @Get()
  @Needs(callerRight)
  async count(@CurrentPrincipal() principal: Principal, @Param('id') pageId: string): Promise<SubscriberCountsAnswer> {
    await this.rights.requirePage(principal, pageId);
    return this.subscribers.countsOf(pageId);
  }

  @Post('remove')
  @HttpCode(200)
  async remove(
    @CurrentPrincipal() principal: Principal,
    @Param('id') pageId: string,
    @Body() { address }: SubscriberRemovalDto,
  ): Promise<RemovedSubscriberAnswer> {
    await this.rights.requirePage(principal, pageId);
    return { removed: await this.subscribers.removeAddress(pageId, address) };
  }

  @Post('retry')
  @HttpCode(200)
  async retry(@CurrentPrincipal() principal: Principal, @Param('id') pageId: string): Promise<RetriedMessagesAnswer> {
    await this.rights.requirePage(principal, pageId);
    const messages = await this.subscribers.retryFailed(pageId);
    if (messages > 0) this.wake.ring(STATUS_NOTICES);
    return { messages };
  }
}
