import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { Log } from '../../platform/log/log.ts';

/** What decides whether a client waits for an event. */
export type TailEvent = Pick<LogEvent, 'n' | 'type' | 'scope'>;
type Matches = (event: TailEvent) => boolean;

interface Waiter {
  readonly after: number;
  readonly matches: Matches;
  readonly wake: (mayHaveCome: boolean) => void;
}

/** Events that a client may have missed between its query and its wait. */
const KEPT = 2_000;
/** The subscription outlives its last client by this, because long polls come back. */
const IDLE_MS = 30_000;

/** One subscription to the log per process while clients wait, which wakes only those whose events came. */
@Injectable()
export class LogTail implements BeforeApplicationShutdown {
  private readonly logger = new Logger('feed');
  private readonly waiters = new Set<Waiter>();
  private subscription: AbortController | null = null;
  /** The latest events, oldest first. */
  private recent: TailEvent[] = [];
  /** Every event after it is in `recent`, or still to come. */
  private since = -1;
  private usedAt = 0;
  isStopping = false;

  constructor(private readonly log: Log) {}

  /**
   * Resolves once there is such an event after the position, after the time, or when aborted. True: there may be one, which the caller has to read; false: none
   * came until now.
   */
  async wait(after: number, matches: Matches, milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (this.isStopping || signal.aborted) return true;
    this.usedAt = performance.now();
    const isMissed = after < this.since || this.recent.some((event) => event.n > after && matches(event));
    if (this.subscription !== null && isMissed) return true;
    const woken = new Promise<boolean>((resolve) => {
      const aborted = (): void => {
        waiter.wake(true);
      };
      const timer = setTimeout(() => {
        waiter.wake(false);
      }, milliseconds);
      const waiter: Waiter = {
        after,
        matches,
        wake: (mayHaveCome) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', aborted);
          this.waiters.delete(waiter);
          resolve(mayHaveCome);
        },
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.waiters.add(waiter);
    });
    if (this.subscription === null) this.subscribe(after);
    return woken;
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    this.subscription?.abort();
    this.wakeAll();
  }

  private subscribe(after: number): void {
    const subscription = new AbortController();
    this.subscription = subscription;
    this.recent = [];
    this.since = after;
    void this.follow(after, subscription);
  }

  private async follow(after: number, subscription: AbortController): Promise<void> {
    try {
      for await (const batch of this.log.follow(after, subscription.signal)) {
        this.take(batch);
        if (this.waiters.size === 0 && performance.now() - this.usedAt > IDLE_MS) break;
      }
    } catch (error) {
      this.logger.error({ msg: 'subscription of the feed to the log failed', err: error });
    }
    this.subscription = null;
    // They read again, which subscribes anew or shows the error to the client.
    this.wakeAll();
  }

  private take(batch: readonly LogEvent[]): void {
    const events = batch.map(({ n, type, scope }) => ({ n, type, scope }));
    this.recent.push(...events);
    const forgotten = this.recent.splice(0, this.recent.length - KEPT).at(-1);
    if (forgotten !== undefined) this.since = forgotten.n;
    for (const { after, matches, wake } of this.waiters) if (events.some((event) => event.n > after && matches(event))) wake(true);
  }

  private wakeAll(): void {
    for (const { wake } of this.waiters) wake(true);
  }
}

/** Empty types: all; null: all scopes. */
export function matchesFilter(wanted: { readonly types: readonly string[]; readonly scopes: readonly string[] | null }): Matches {
  const [types, scopes] = [new Set(wanted.types), wanted.scopes === null ? null : new Set(wanted.scopes)];
  return ({ type, scope }) => (types.size === 0 || types.has(type)) && (scopes === null || scopes.has(scope));
}
