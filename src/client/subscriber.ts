import type { Schemas } from './types.ts';

type Page = Schemas['SubscriptionPage'];
type DeliveredEvent = Page['deliveries'][number];

export interface SubscribeOptions {
  /** A name that the state of the subscription shows. */
  readonly consumer?: string;
  /** Events of a page: up to 1,000; 100 by default. All of them have to be done within `ackSeconds`. */
  readonly limit?: number;
  /** How long a request waits for the next event: up to 60; 30 by default. */
  readonly waitSeconds?: number;
  readonly signal?: AbortSignal;
}

/** What a subscriber asks of the service. */
export interface SubscriptionCalls {
  readonly read: () => Promise<Page>;
  readonly ack: (tokens: readonly string[]) => Promise<unknown>;
  readonly nack: (
    tokens: readonly string[],
    refusal: { readonly action: 'retry' } | { readonly action: 'park'; readonly reason: string },
  ) => Promise<unknown>;
}

/** An event that is leased to this consumer. */
export class SubscribedEvent {
  #state: 'open' | 'done' | 'refused' = 'open';

  constructor(
    readonly delivered: DeliveredEvent,
    private readonly calls: SubscriptionCalls,
  ) {}

  get event(): DeliveredEvent['event'] {
    return this.delivered.event;
  }

  /** How often it was delivered, this time included. */
  get attempt(): number {
    return this.delivered.attempt;
  }

  /** A fencing token: it grows with every delivery. */
  get token(): string {
    return this.delivered.token;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** With the next event, or at the end of its page: the loop does it for every event that was not refused. */
  ack(): void {
    if (this.isOpen) this.#state = 'done';
  }

  /** Delivered again after a pause; later events of its partition wait. */
  async retry(): Promise<void> {
    this.#state = 'refused';
    await this.calls.nack([this.token], { action: 'retry' });
  }

  /** Set aside with a reason; later events of its partition go on. */
  async park(reason: string): Promise<void> {
    this.#state = 'refused';
    await this.calls.nack([this.token], { action: 'park', reason });
  }
}

/** Acknowledgements are sent together, at the latest with the next event after this time: a partition waits for its own. */
const ACK_MS = 1_000;

/**
 * A consumer of a subscription, without an end. What the loop has finished with is acknowledged, unless it was refused; where the loop ends early, what it
 * did not finish is delivered to another consumer.
 */
export class Subscriber implements AsyncIterable<SubscribedEvent> {
  constructor(private readonly calls: SubscriptionCalls) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<SubscribedEvent, void> {
    for (;;) {
      const { deliveries } = await this.calls.read();
      const page = deliveries.map((delivery) => new SubscribedEvent(delivery, this.calls));
      let acknowledged = 0;
      let sentAt = performance.now();
      const send = async (end: number): Promise<void> => {
        const tokens = page.slice(acknowledged, end).flatMap((one) => (one.isDone ? [one.token] : []));
        [acknowledged, sentAt] = [end, performance.now()];
        if (tokens.length > 0) await this.calls.ack(tokens);
      };
      let isWhole = false;
      try {
        for (const [index, one] of page.entries()) {
          yield one;
          one.ack();
          if (performance.now() - sentAt >= ACK_MS) await send(index + 1);
        }
        isWhole = true;
      } finally {
        // The loop ended by itself or by an error, which must not be hidden by one of these; a lease that is not given back ends by itself.
        if (!isWhole) await this.giveBack(page, () => send(page.length)).catch(() => undefined);
      }
      await send(page.length);
    }
  }

  private async giveBack(page: readonly SubscribedEvent[], acknowledge: () => Promise<void>): Promise<void> {
    const open = page.flatMap((one) => (one.isOpen ? [one.token] : []));
    await acknowledge();
    if (open.length > 0) await this.calls.nack(open, { action: 'retry' });
  }
}
