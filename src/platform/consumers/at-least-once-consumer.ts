import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { DueRetry } from './consumer-store.ts';
import { type ApplyEvent, LogConsumer, type LogConsumerOptions } from './log-consumer.ts';

export interface AtLeastOnceConsumerOptions extends LogConsumerOptions {
  /** Prepares what the events of a batch share. */
  readonly begin: (events: readonly LogEvent[]) => Promise<ApplyEvent>;
  /** How many partitions are handled at a time. */
  readonly concurrent: () => number;
  /** Ends the work, rather than parking the event. */
  readonly isInterruption: (error: unknown) => boolean;
}

/** Between two checks for retries that became due while a page is handled. */
const RETRY_CHECK_MS = 250;

/** The effects are outside of the database: the checkpoint moves after a page, so that a crash repeats a part of it (at least once). */
export class AtLeastOnceConsumer extends LogConsumer {
  protected readonly page = 100;
  protected readonly retries = 8;
  private isRetrying = false;
  private nextCheckAt = 0;

  constructor(protected override readonly options: AtLeastOnceConsumerOptions) {
    super(options);
  }

  protected async handleWanted(events: readonly LogEvent[], last: LogEvent, signal: AbortSignal): Promise<void> {
    const { store, name, begin } = this.options;
    const apply = await begin(events);
    const byScope = new Map<string, LogEvent[]>();
    for (const event of events) if (!this.parked.has(event.scope)) byScope.set(event.scope, [...(byScope.get(event.scope) ?? []), event]);
    await this.each([...byScope.values()], async (ofScope) => {
      await this.inOrder(ofScope, apply, signal, () => this.retryBetween(last.n, signal));
    });
    if (signal.aborted) return;
    await store.move(name, this.stored, last);
  }

  protected async retryAll(due: readonly DueRetry[], signal: AbortSignal): Promise<void> {
    await this.each(due, (one) => this.retry(one, this.at, signal));
  }

  /**
   * A slow page does not hold up retries that become due meanwhile. The page leaves out the events of a partition that was parked before it, and those behind
   * one that it parked itself: the retry handles them, so that nothing is missing when the checkpoint moves to `until`.
   */
  private async retryBetween(until: number, signal: AbortSignal): Promise<void> {
    const { store, name } = this.options;
    if (this.isRetrying || this.parked.size === 0 || performance.now() < this.nextCheckAt) return;
    this.isRetrying = true;
    try {
      // One by one: an operator may skip another one meanwhile.
      for (let due = await store.due(name, until, 1); due.length > 0 && !signal.aborted; due = await store.due(name, until, 1))
        for (const one of due) await this.retry(one, until, signal);
    } finally {
      this.isRetrying = false;
      this.nextCheckAt = performance.now() + RETRY_CHECK_MS;
    }
  }

  /** The event that failed, and those of its partition behind it, up to `until`. */
  private async retry(due: DueRetry, until: number, signal: AbortSignal): Promise<void> {
    const { store, name, begin } = this.options;
    for await (const events of this.waitingEvents(due, until)) if (!(await this.inOrder(events, await begin(events), signal))) return;
    if (signal.aborted) return;
    await store.release(name, this.stored, due.scope);
    this.parked = new Set([...this.parked].filter((scope) => scope !== due.scope));
  }

  /** False when one of them failed, and its partition is parked. */
  private async inOrder(
    events: readonly LogEvent[],
    apply: ApplyEvent,
    signal: AbortSignal,
    beforeEach = (): Promise<void> => Promise.resolve(),
  ): Promise<boolean> {
    const { store, name, retry, isInterruption, onParked } = this.options;
    for (const event of events) {
      await beforeEach();
      if (signal.aborted) return false;
      try {
        await apply(event);
      } catch (error) {
        if (isInterruption(error)) throw error;
        await store.park(name, this.stored, { event, error }, retry);
        this.parked = new Set([...this.parked, event.scope]);
        onParked?.(event, error);
        return false;
      }
    }
    return true;
  }

  private async each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const concurrent = this.options.concurrent();
    if (concurrent === 1) for (const item of items) await work(item);
    else {
      const limit = new ConcurrencyLimit(concurrent);
      // All of them end before a failure is thrown: none may go on beside the next start.
      const results = await Promise.allSettled(items.map((item) => limit.run(() => work(item))));
      const failed = results.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
  }
}
