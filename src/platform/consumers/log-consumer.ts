import { pause } from '../../kernel/abortable.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { endWith, noTracer, type Tracer, startBatch } from '../../kernel/tracer.ts';
import { LogDamaged } from '../event-store/lazy-event.ts';
import type { Log } from '../log/log.ts';
import { isTransientDatabaseError } from '../postgres/transient-database-error.ts';
import type { Bell, Wake } from '../postgres/wake.ts';
import { checkpointAfter } from '../read-models/engine/checkpoint.ts';
import { type ProjectionIdentity, VoidedEvents, voidedPosition } from '../read-models/engine/voided-events.ts';
import { CONSUMER_TOPIC, ConsumerMoved, type ConsumerStore, type DueRetry, type NewConsumer, type RetryPolicy } from './consumer-store.ts';

/** The name is also that of its lease. */
export interface LogConsumerOptions extends NewConsumer {
  /** The name of the span of a batch. */
  readonly span?: string;
  readonly log: Pick<Log, 'read' | 'head'>;
  readonly wake: Pick<Wake, 'bell'>;
  readonly store: ConsumerStore;
  /** Which events it handles; the others only move the checkpoint. */
  readonly wants: (event: LogEvent) => boolean;
  readonly retry: RetryPolicy;
  /** The name and signature by which an operator skips an event for this consumer alone. */
  readonly identity?: ProjectionIdentity;
  readonly onParked?: (event: LogEvent, error: unknown) => void;
  readonly tracer?: Tracer;
}

/** Applies one event of the batch for which it was begun. */
export type ApplyEvent = (event: LogEvent) => Promise<void>;

const NEVER = new AbortController().signal;
const PAUSED_MS = 500;
/** Events that mean nothing to the consumer move its checkpoint only this often: reading them again is harmless. */
const CHECKPOINT_EVERY = 5_000;
const CHECKPOINT_EVERY_MS = 5_000;

/**
 * A consumer of the log: handles its events in order within each partition (a project or an account), behind a checkpoint. An event that fails parks its
 * partition, which is retried by itself; all other partitions are handled. It runs in one instance at a time, under a lease; a compare-and-set of the checkpoint
 * fences off an instance that has lost it.
 */
export abstract class LogConsumer {
  /** Partitions that wait behind a parked event; only this instance parks and releases them. */
  protected parked: ReadonlySet<string> = new Set();
  /** The last event that was considered. */
  protected at = -1;
  /** The checkpoint in the table, behind `at` by events that mean nothing to the consumer. */
  protected stored = -1;
  private last: Pick<LogEvent, 'n' | 'id'> | null = null;
  private storedAtMs = -Infinity;
  private voided: VoidedEvents;
  /** Events that are read at a time. */
  protected abstract readonly page: number;
  /** Partitions that are retried before the next page, so that many blocked ones do not hold up the others. */
  protected abstract readonly retries: number;

  protected constructor(protected readonly options: LogConsumerOptions) {
    this.voided = new VoidedEvents(options.log, options.identity);
  }

  /** A new consumer starts at the head of the log: earlier events mean nothing to it. */
  async load(): Promise<void> {
    const { store, name, log } = this.options;
    const { n } = await store.open(this.options, () => log.head());
    this.parked = await store.parkedScopes(name);
    // Anew: the log may have lost its latest events in a failover.
    this.voided = new VoidedEvents(log, this.options.identity);
    await this.voided.refresh();
    [this.at, this.stored, this.last] = [n, n, null];
  }

  /** Returns when the signal aborts; rejects when the work has to begin again from the table. */
  async work(signal: AbortSignal): Promise<void> {
    const { wake, log } = this.options;
    const bells = [wake.bell('log'), wake.bell(CONSUMER_TOPIC)];
    try {
      await this.load();
      while (!signal.aborted) {
        if (await this.isPaused()) {
          await pause(PAUSED_MS, signal);
          continue;
        }
        await this.retryDue(signal);
        const page = await log.read({ after: this.at, limit: this.page });
        if (checkpointAfter(page, this.at) !== null) await this.handle(page, signal);
        if (page.length < this.page) await this.rest(bells, signal);
      }
    } finally {
      for (const bell of bells) bell.close();
    }
  }

  /** The next events of the log. */
  async handle(page: readonly LogEvent[], signal = NEVER): Promise<void> {
    const { name, span = name, store, tracer = noTracer, identity } = this.options;
    const last = page.at(-1);
    if (last === undefined) return;
    if (page.some((event) => voidedPosition(event, identity) !== null)) await this.voided.refresh();
    const wanted = page.filter((event) => this.isWanted(event));
    if (wanted.length > 0) {
      await endWith(startBatch(tracer, span, wanted), this.handleWanted(wanted, last, signal));
      // What it did not come to is handled again.
      if (signal.aborted) return;
      this.noteStored(last);
    } else if (last.n - this.stored >= CHECKPOINT_EVERY) {
      await store.move(name, this.stored, last);
      this.noteStored(last);
    }
    this.at = last.n;
    this.last = last;
  }

  /** Handles the partitions whose retry is due: the event that failed, and those behind it. */
  async retryDue(signal = NEVER): Promise<void> {
    if (this.parked.size === 0) return;
    await this.retryAll(await this.options.store.due(this.options.name, this.at, this.retries), signal);
  }

  /** Handles the events and moves the checkpoint to the last one of their page. */
  protected abstract handleWanted(events: readonly LogEvent[], last: LogEvent, signal: AbortSignal): Promise<void>;

  protected abstract retryAll(due: readonly DueRetry[], signal: AbortSignal): Promise<void>;

  protected isWanted(event: LogEvent): boolean {
    return this.options.wants(event) && !this.voided.has(event.n);
  }

  /** Pages of the wanted events of a partition, from the parked one on. */
  protected async *waitingEvents({ scope, n }: DueRetry, until: number): AsyncGenerator<readonly LogEvent[]> {
    for (let after = n - 1; after < until;) {
      const page = await this.options.log.read({ after, until, scope, limit: this.page });
      yield page.filter((event) => this.isWanted(event));
      after = page.at(-1)?.n ?? until;
    }
  }

  private async isPaused(): Promise<boolean> {
    const row = await this.options.store.read(this.options.name);
    if (row?.n !== this.stored) throw new ConsumerMoved(this.options.name, this.stored);
    return row.paused;
  }

  private noteStored({ n }: Pick<LogEvent, 'n'>): void {
    this.stored = n;
    this.storedAtMs = performance.now();
  }

  /** Until there may be events, a retry is due, or an operator asked for something. */
  private async rest(bells: readonly Bell[], signal: AbortSignal): Promise<void> {
    const { store, name } = this.options;
    let waitMs = Infinity;
    if (this.last !== null && this.at > this.stored) {
      waitMs = this.storedAtMs + CHECKPOINT_EVERY_MS - performance.now();
      if (waitMs <= 0) {
        await store.move(name, this.stored, this.last);
        this.noteStored(this.last);
        waitMs = Infinity;
      }
    }
    if (this.parked.size > 0) waitMs = Math.min(waitMs, (await store.nextDueMs(name)) ?? Infinity);
    const rung = new AbortController();
    const ended = AbortSignal.any([signal, rung.signal]);
    await Promise.race(bells.map((bell) => bell.poll(ended, Math.max(1, waitMs))));
    // A wait left behind would consume the next ring.
    rung.abort();
  }
}

/** The error is not about the event: it is handled again, rather than parked. */
export const isNoFaultOfEvent = (error: unknown): boolean =>
  isTransientDatabaseError(error) || error instanceof LogDamaged || error instanceof ConsumerMoved;
