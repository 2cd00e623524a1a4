import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { StreamBudget } from '../../budgets/stream-budget.ts';
import { disconnectSignal } from '../../context/disconnect-signal.ts';
import type { Principal } from '../../context/principal.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import { type FeedFilter, FeedReading } from './feed-reading.ts';
import type { Following } from './following.ts';

const PAGE = 100;

export interface AnsweredPage {
  readonly events: readonly PresentedEvent[];
  readonly position: string;
  readonly head: string;
}

/** Pages for clients that ask again and again, and may wait for the next event. */
@Injectable()
export class FeedPages {
  constructor(
    @Inject(FeedReading) private readonly reading: FeedReading,
    @Inject(StreamBudget) private readonly budget: StreamBudget,
  ) {}

  async page(
    filter: FeedFilter,
    { after, waitMs, limit }: Following & { readonly limit: number | null },
    { principal, reply }: { readonly principal: Principal; readonly reply: FastifyReply },
  ): Promise<AnsweredPage> {
    const from = await this.reading.positionOf(after);
    const wait = reply.request.method === 'HEAD' ? 0 : waitMs;
    const signal = wait === 0 ? disconnectSignal(reply) : this.open(principal, reply);
    const { events, position, head } = await this.reading.nextPage(filter, from, limit ?? PAGE, { waitMs: wait, signal });
    return { events, position: String(position), head: String(head) };
  }

  /** Takes one of the places of requests that wait, until the client is answered or disconnects. */
  open(principal: Principal, reply: FastifyReply): AbortSignal {
    const release = this.budget.openFeed(principal);
    reply.raw.once('close', release);
    return disconnectSignal(reply);
  }
}
