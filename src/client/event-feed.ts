import type { Schemas } from './types.ts';

type Event = Schemas['Event'];
type FeedPage = Schemas['FeedPage'];

export interface FeedOptions {
  /** The position of the last event that is not wanted, or `now`; from the beginning without it. */
  readonly after?: string;
  /** How long a request waits for the next event: up to 60; 30 by default. */
  readonly waitSeconds?: number;
  /** Events of a page: up to 1,000; 500 by default. */
  readonly limit?: number;
  /** Only these types of events. */
  readonly type?: string | readonly string[];
  /** Only of these projects (`project-…`), and for system roles of accounts (`account-…`) and `system`. */
  readonly scope?: string | readonly string[];
  readonly signal?: AbortSignal;
  /** End at the last event that the log has, instead of waiting for the next. */
  readonly untilHead?: boolean;
}

/** Events in the order of the log, now and in future. It outlasts restarts of the service and of connections, and leaves no event out. */
export class EventFeed implements AsyncIterable<Event> {
  #position: string | undefined;
  #head: string | undefined;

  constructor(
    private readonly read: (after: string | undefined) => Promise<FeedPage>,
    private readonly options: FeedOptions,
  ) {
    this.#position = options.after;
  }

  /**
   * The position up to which the caller has finished: `after` of a feed that resumes. While an event is being handled it is still the one before; store
   * `event.position` in the transaction of the effect to handle each event exactly once.
   */
  get position(): string | undefined {
    return this.#position;
  }

  /** The last position of the log when the page was read. */
  get head(): string | undefined {
    return this.#head;
  }

  /** Page by page: for a transaction over several events. Pages without events are left out. */
  async *pages(): AsyncGenerator<FeedPage, void> {
    for (;;) {
      const page = await this.read(this.#position);
      this.#head = page.head;
      if (page.events.length > 0) yield page;
      this.#position = page.position;
      if (this.options.untilHead === true && page.position === page.head) return;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for await (const { events } of this.pages()) {
      for (const event of events) {
        yield event;
        this.#position = event.position;
      }
    }
  }
}
