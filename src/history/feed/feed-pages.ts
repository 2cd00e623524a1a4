import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { StreamBudget } from '../../accounts/budgets/stream-budget.ts';
import { disconnectSignal, whenClosed } from '../../platform/http/context/disconnect-signal.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { Forbidden } from '../../platform/http/errors/refusals.ts';
import type { PresentedEvent } from '../event.presenter.ts';
import { type FeedFilter, type FeedPage, FeedReading } from './feed-reading.ts';
import { FeedScopes, untilRecheck } from './feed-scopes.ts';
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
    private readonly reading: FeedReading,
    private readonly scopes: FeedScopes,
    private readonly budget: StreamBudget,
  ) {}

  async page(
    filter: FeedFilter,
    { after, waitMs, limit }: Following & { readonly limit: number | null },
    { principal, reply }: { readonly principal: Principal; readonly reply: FastifyReply },
  ): Promise<AnsweredPage> {
    const from = await this.reading.positionOf(after);
    const first = await this.reading.page(filter, from, limit ?? PAGE);
    if (first.events.length > 0 || waitMs === 0 || reply.request.method === 'HEAD') return answerOf(first);
    const signal = this.open(principal, reply);
    const end = performance.now() + waitMs;
    for (let [page, { scopes }] = [first, filter]; ;) {
      const left = end - performance.now();
      if (page.events.length > 0 || left <= 0 || signal.aborted || this.reading.isStopping) return answerOf(page);
      const check = untilRecheck(performance.now());
      const mayHaveCome = await this.reading.wait({ ...filter, scopes }, page.position, Math.min(left, check), signal);
      const allowed = await this.scopes.stillOf(principal, scopes);
      if (allowed === undefined) throw new Forbidden();
      scopes = allowed;
      // The last read answers how far the log was searched.
      if (mayHaveCome || left <= check) page = await this.reading.page({ ...filter, scopes }, page.position, limit ?? PAGE);
    }
  }

  /** Takes one of the places of requests that wait, until the client is answered or disconnects. */
  open(principal: Principal, reply: FastifyReply): AbortSignal {
    const release = this.budget.openFeed(principal);
    whenClosed(reply, release);
    return disconnectSignal(reply);
  }
}

const answerOf = ({ events, position, head }: FeedPage): AnsweredPage => ({ events, position: String(position), head: String(head) });
