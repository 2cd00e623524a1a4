import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SubscriptionKey } from './subscription.ts';
import { type SubscriptionPage, Subscriptions } from './subscriptions.ts';
import { StreamBudget } from '../../accounts/budgets/stream-budget.ts';
import { disconnectSignal, whenClosed } from '../../platform/http/context/disconnect-signal.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { RECHECK_MS } from '../../history/feed/feed-scopes.ts';
import { LogTail, matchesFilter } from '../../history/feed/log-tail.ts';
import { SubscriptionRights } from './subscription-rights.ts';

interface ReadRequest {
  readonly consumer: string;
  readonly limit: number;
  readonly waitMs: number;
}

/** A request that waits. */
interface OpenRequest {
  readonly disconnected: AbortSignal;
  readonly lostRight: AbortSignal;
}

/** Delay between reads while consumers of other instances have events in flight, whose acknowledgements this one does not see. */
const LOOK_AGAIN_MS = 1_000;

/** Reads that may wait: for the next event of the log through the one subscription of the process, or for an acknowledgement. */
@Injectable()
export class SubscriptionReading {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly rights: SubscriptionRights,
    private readonly tail: LogTail,
    private readonly budget: StreamBudget,
  ) {}

  async read(
    principal: Principal,
    key: SubscriptionKey,
    { consumer, limit, waitMs }: ReadRequest,
    reply: FastifyReply,
  ): Promise<SubscriptionPage> {
    const end = performance.now() + waitMs;
    let open: OpenRequest | null = null;
    for (let caller = principal; ;) {
      const { filter } = (await this.subscriptions.get(key)).settings;
      const scopes = await this.rights.scopesOf(caller, filter);
      // Before the read, so that no change after it is missed.
      const changed = new AbortController();
      const stopListening = this.subscriptions.onChange(key, () => {
        changed.abort();
      });
      try {
        const page = await this.subscriptions.read(key, { consumer, limit, scopes });
        const left = end - performance.now();
        if (page.deliveries.length > 0 || left <= 0 || this.tail.isStopping) return page;
        open ??= this.open(principal, key, reply);
        const { disconnected, lostRight } = open;
        const signal = AbortSignal.any([disconnected, lostRight, changed.signal]);
        if (!page.canContinue) await this.wait(page, { types: filter.types, scopes }, left, signal);
        if (disconnected.aborted) return page;
      } finally {
        stopListening();
      }
      caller = await this.rights.current(principal);
    }
  }

  /** Takes one of the places of requests that wait, until the client is answered or disconnects. */
  private open(principal: Principal, { name }: SubscriptionKey, reply: FastifyReply): OpenRequest {
    const release = this.budget.openSubscription(principal, name);
    const lostRight = new AbortController();
    // Only the token is checked here: which projects it may read is read with each event.
    const checks = setInterval(() => {
      this.rights.current(principal).catch(() => {
        lostRight.abort();
      });
    }, RECHECK_MS);
    whenClosed(reply, () => {
      clearInterval(checks);
      release();
    });
    return { disconnected: disconnectSignal(reply), lostRight: lostRight.signal };
  }

  private async wait(
    { searched, head, isWaiting, dueInMs }: SubscriptionPage,
    filter: { readonly types: readonly string[]; readonly scopes: readonly string[] | null },
    leftMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const milliseconds = dueInMs === null ? leftMs : Math.min(leftMs, dueInMs, LOOK_AGAIN_MS);
    // A new event changes nothing where all that is allowed is in flight.
    await this.tail.wait(isWaiting ? searched : head, isWaiting ? matchesFilter(filter) : () => false, milliseconds, signal);
  }
}
