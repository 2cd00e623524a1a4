import { pause } from '../../kernel/abortable.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import { VoidedEvents, voidedPosition } from '../../platform/read-models/engine/voided-events.ts';
import type { ReactorShape } from '../manifest.ts';
import { TeamProcessEnded } from '../process/running-child.ts';
import { type DueRetry, REACTOR_TOPIC, ReactorMoved, type ReactorRow, type ReactorStore } from './reactor-store.ts';

export interface ReactorRunnerOptions {
  readonly reactor: ReactorShape;
  readonly log: Log;
  readonly wake: Wake;
  readonly store: ReactorStore;
  readonly react: (event: LogEvent) => Promise<void>;
  readonly onParked: (event: LogEvent, error: unknown) => void;
}

/** After a crash at most so many events are repeated. */
const PAGE = 100;
/** Partitions at a time. */
const CONCURRENT = 8;
const PAUSED_MS = 500;
/** Between two looks for retries that became due while a page is handled. */
const LOOK_MS = 250;
/** Ends of the process in a row with the same event under way. */
const REPEATS = 2;

/**
 * Feeds one reactor: in order within a project or account, several of them at a time. The checkpoint moves after a page, so that a crash repeats a part of it (at least once). An event that
 * fails parks its partition, which is retried by itself; everything else goes on.
 */
export class ReactorRunner {
  private readonly limit = new ConcurrencyLimit(CONCURRENT);
  private readonly voided: VoidedEvents;
  /** Events that were under way when the process ended the last time. */
  private readonly ended = new Set<string>();
  /** The same with the number of ends in a row. */
  private suspects = new Map<string, number>();
  private isRetrying = false;
  private lookAgainAt = 0;

  constructor(private readonly options: ReactorRunnerOptions) {
    this.voided = new VoidedEvents(options.log, { name: options.reactor.name, signature: 'reactor' });
  }

  /** Returns when the signal aborts; rejects when the process of the package ends. */
  async run(from: ReactorRow, signal: AbortSignal): Promise<void> {
    const { reactor, log, wake, store } = this.options;
    const bells = [wake.bell('log'), wake.bell(REACTOR_TOPIC)];
    try {
      await this.voided.refresh();
      let { n } = from;
      while (!signal.aborted) {
        const row = await store.read(reactor.name);
        if (row?.n !== n) throw new ReactorMoved(`the reactor ${reactor.name} is no longer at ${String(n)}`);
        if (row.paused) {
          await pause(PAUSED_MS, signal);
          continue;
        }
        await this.retryDue(n, signal);
        const page = await log.read({ after: n, limit: PAGE });
        const last = page.at(-1);
        if (last !== undefined) {
          await this.handle(page, n, signal);
          if (signal.aborted) return;
          await store.move(reactor.name, n, last);
          n = last.n;
          continue;
        }
        const due = await store.nextDueMs(reactor.name);
        const waitMs = Math.max(1, due ?? Infinity);
        const rung = new AbortController();
        await Promise.race(bells.map((bell) => bell.poll(AbortSignal.any([signal, rung.signal]), waitMs)));
        rung.abort();
      }
    } catch (error) {
      if (error instanceof TeamProcessEnded) this.noteSuspects();
      throw error;
    } finally {
      for (const bell of bells) bell.close();
    }
  }

  private async handle(page: readonly LogEvent[], at: number, signal: AbortSignal): Promise<void> {
    const { reactor, store } = this.options;
    if (page.some((event) => voidedPosition(event, { name: reactor.name, signature: 'reactor' }) !== null)) await this.voided.refresh();
    const wanted = page.filter((event) => this.isWanted(event));
    if (wanted.length === 0) return;
    const parked = await store.parkedScopes(reactor.name);
    const byScope = new Map<string, LogEvent[]>();
    for (const event of wanted) if (!parked.has(event.scope)) byScope.set(event.scope, [...(byScope.get(event.scope) ?? []), event]);
    const until = page.at(-1)?.n ?? at;
    await this.each([...byScope.values()], async (events) => {
      await this.inOrder(events, at, signal, () => this.retryBetween(at, until, signal));
    });
  }

  private async retryDue(at: number, signal: AbortSignal): Promise<void> {
    const { reactor, store } = this.options;
    await this.each(await store.due(reactor.name, at, CONCURRENT), (due) => this.retry(due, at, at, signal));
  }

  /**
   * A slow page does not hold up retries that become due meanwhile. The page leaves out the events of a partition that was parked before it, and those behind
   * one that it parked itself: the retry handles them, so that nothing is missing when the checkpoint moves to `until`.
   */
  private async retryBetween(at: number, until: number, signal: AbortSignal): Promise<void> {
    const { reactor, store } = this.options;
    if (this.isRetrying || performance.now() < this.lookAgainAt) return;
    this.isRetrying = true;
    try {
      // One by one: an operator may skip another one meanwhile.
      for (
        let due = await store.due(reactor.name, until, 1);
        due.length > 0 && !signal.aborted;
        due = await store.due(reactor.name, until, 1)
      )
        for (const one of due) await this.retry(one, at, until, signal);
    } finally {
      this.isRetrying = false;
      this.lookAgainAt = performance.now() + LOOK_MS;
    }
  }

  /** The event that failed, and those of its partition behind it, up to `until`. `at`: the checkpoint. */
  private async retry({ scope, n }: DueRetry, at: number, until: number, signal: AbortSignal): Promise<void> {
    const { reactor, log, store } = this.options;
    for (let after = n - 1; after < until && !signal.aborted;) {
      const page = await log.read({ after, until, scope, limit: PAGE });
      const wanted = page.filter((event) => this.isWanted(event));
      if (!(await this.inOrder(wanted, at, signal))) return;
      after = page.at(-1)?.n ?? until;
    }
    if (!signal.aborted) await store.release(reactor.name, at, scope);
  }

  /** False: one of them failed, and its partition is parked. `at`: the checkpoint. */
  private async inOrder(
    events: readonly LogEvent[],
    at: number,
    signal: AbortSignal,
    beforeEach = (): Promise<void> => Promise.resolve(),
  ): Promise<boolean> {
    const { reactor, store, react, onParked } = this.options;
    for (const event of events) {
      await beforeEach();
      if (signal.aborted) return false;
      try {
        if ((this.suspects.get(event.id) ?? 0) >= REPEATS) throw new Error('the process of the package ended while it handled the event');
        await react(event);
      } catch (error) {
        if (error instanceof TeamProcessEnded) {
          this.ended.add(event.id);
          throw error;
        }
        await store.park(reactor.name, at, event, error);
        this.suspects.delete(event.id);
        onParked(event, error);
        return false;
      }
      this.suspects.delete(event.id);
    }
    return true;
  }

  /** One at a time after the process ended: the next end then shows which event it was. */
  private async each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    if (this.suspects.size > 0) for (const item of items) await work(item);
    else {
      // All of them end before a failure is thrown: none may go on beside the next start.
      const results = await Promise.allSettled(items.map((item) => this.limit.run(() => work(item))));
      const failed = results.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    }
  }

  private isWanted({ type, n }: LogEvent): boolean {
    return this.options.reactor.handles.includes(type) && !this.voided.has(n);
  }

  private noteSuspects(): void {
    this.suspects = new Map([...this.ended].map((id) => [id, (this.suspects.get(id) ?? 0) + 1]));
    this.ended.clear();
  }
}
