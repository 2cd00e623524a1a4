import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { SubscriptionKey } from '../../subscriptions/subscription.ts';
import { type SubscriptionPage, Subscriptions } from '../../subscriptions/subscriptions.ts';
import { StreamBudget } from '../budgets/stream-budget.ts';
import { disconnectSignal } from '../context/disconnect-signal.ts';
import type { Principal } from '../context/principal.ts';
import { LogTail, matchesFilter } from '../history/feed/log-tail.ts';
import { SubscriptionRights } from './subscription-rights.ts';

interface ReadRequest {
  readonly consumer: string;
  readonly limit: number;
  readonly waitMs: number;
}

/** While events are in flight with consumers of other instances, whose acknowledgements this one does not see. */
const LOOK_AGAIN_MS = 1_000;

/** Reads that may wait: for the next event of the log through the one subscription of the process, or for an acknowledgement. */
@Injectable()
export class SubscriptionReading {
  constructor(
    @Inject(Subscriptions) private readonly subscriptions: Subscriptions,
    @Inject(SubscriptionRights) private readonly rights: SubscriptionRights,
    @Inject(LogTail) private readonly tail: LogTail,
    @Inject(StreamBudget) private readonly budget: StreamBudget,
  ) {}

  async read(
    principal: Principal,
    key: SubscriptionKey,
    { consumer, limit, waitMs }: ReadRequest,
    reply: FastifyReply,
  ): Promise<SubscriptionPage> {
    const end = performance.now() + waitMs;
    let signal: AbortSignal | null = null;
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
        signal ??= this.open(principal, key, reply);
        if (!page.canContinue) await this.wait(page, { types: filter.types, scopes }, left, AbortSignal.any([signal, changed.signal]));
        if (signal.aborted) return page;
      } finally {
        stopListening();
      }
      caller = await this.rights.current(principal);
    }
  }

  /** Takes one of the places of requests that wait, until the client is answered or disconnects. */
  private open(principal: Principal, { name }: SubscriptionKey, reply: FastifyReply): AbortSignal {
    reply.raw.once('close', this.budget.openSubscription(principal, name));
    return disconnectSignal(reply);
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
