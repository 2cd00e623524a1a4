import { pause } from '../../kernel/abortable.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../log/log.ts';
import { POLL_WITHOUT_RING_MS, type Wake } from '../../persistence/wake.ts';
import { VoidedEvents, voidedPosition } from '../../projections/engine/voided-events.ts';
import type { ReactorShape } from '../manifest.ts';
import { TeamProcessEnded } from '../process/running-child.ts';
import { REACTOR_TOPIC, ReactorMoved, type ReactorRow, type ReactorStore } from './reactor-store.ts';

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
        const waitMs = Math.max(1, Math.min(POLL_WITHOUT_RING_MS, due ?? Infinity));
        const rung = new AbortController();
        await Promise.race(bells.map((bell) => bell.wait(waitMs, AbortSignal.any([signal, rung.signal]))));
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
    await this.each([...byScope.values()], (events) => this.inOrder(events, at, signal).then(() => undefined));
  }

  /** Of partitions whose retry is due: the event that failed, and those behind it, up to the checkpoint. */
  private async retryDue(until: number, signal: AbortSignal): Promise<void> {
    const { reactor, log, store } = this.options;
    const due = await store.due(reactor.name, until, CONCURRENT);
    await this.each(due, async ({ scope, n }) => {
      for (let after = n - 1; after < until && !signal.aborted;) {
        const page = await log.read({ after, until, scope, limit: PAGE });
        const isDone = await this.inOrder(
          page.filter((event) => this.isWanted(event)),
          until,
          signal,
        );
        if (!isDone) return;
        after = page.at(-1)?.n ?? until;
      }
      if (!signal.aborted) await store.release(reactor.name, until, scope);
    });
  }

  /** False: one of them failed, and its partition is parked. `at`: the checkpoint. */
  private async inOrder(events: readonly LogEvent[], at: number, signal: AbortSignal): Promise<boolean> {
    const { reactor, store, react, onParked } = this.options;
    for (const event of events) {
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
