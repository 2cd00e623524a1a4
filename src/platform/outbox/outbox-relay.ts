import { backOffOf, jittered } from '../../kernel/back-off.ts';
import { HOUR_MS, MINUTE_MS, DAY_MS, SECOND_MS } from '../../kernel/time.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../kernel/clock.ts';
import type { Bell, Wake } from '../postgres/wake.ts';
import type { DeliveryEnd, OutboxRows } from './outbox-rows.ts';

/** How long a message is attempted before it is a dead letter. */
export const GIVE_UP_MS = 24 * HOUR_MS;

const BOUNDS = { firstMs: 5_000, mostMs: 15 * MINUTE_MS };

/** Exponential back-off with 25 % jitter, and never before the `Retry-After` of the receiver. */
export function nextAttemptAt(attempts: number, retryAfterMs: number | null, now: number, random: number): number {
  return now + Math.max(jittered(backOffOf(attempts, BOUNDS), random), retryAfterMs ?? 0);
}

/**
 * The deadline of a message that is not attempted before `at`. Only time in which it could be attempted counts: the deadline moves by as long
 * as the message was overdue, because the service was off, failed itself, or sent another message first.
 */
export const extendedDeadline = ({ nextTry: due, giveUpAt }: { readonly nextTry: Date; readonly giveUpAt: Date }, at: number): Date =>
  new Date(giveUpAt.getTime() + Math.max(0, at - due.getTime()));

export interface OutboxRow {
  readonly id: string;
  /** Earlier attempts. */
  readonly attempts: number;
  readonly nextTry: Date;
  readonly giveUpAt: Date;
}

export type SendOutcome =
  | { readonly kind: 'delivered'; readonly answer: string }
  /** Final: a retry would get the same answer. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'later'; readonly reason: string; /** From `Retry-After`. */ readonly afterMs: number | null }
  /** Nothing was handed over and the row stays as it is: the lease was lost, so its next owner sends it, or the recipient left with its rows. */
  | { readonly kind: 'abandoned' };

export interface SendAttempt {
  readonly outcome: SendOutcome;
  /** Appends the event of the end, before the row is noted. */
  readonly record?: (end: DeliveryEnd) => Promise<void>;
}

export interface ConcurrencyRule {
  readonly channel: string;
  /** Rows of the channel in flight at once; of one recipient, at most one is. */
  readonly maxConcurrent: number;
  readonly recipient: number | string;
}

export interface OutboxRelayParts<Row extends OutboxRow> {
  /** Due rows in the order in which they are to be sent, without those in flight. */
  readonly due: (now: number, inFlight: readonly string[]) => Promise<readonly Row[]>;
  /** The first instant after a poll at `after` at which a poll finds something new, in milliseconds since the epoch; null when only a ring announces more. */
  readonly nextAt: (after: number) => Promise<number | null>;
  /** Nothing waits, now or later. */
  readonly isEmpty: () => Promise<boolean>;
  readonly deleteFinished: (before: number) => Promise<void>;
  readonly rows: Pick<OutboxRows, 'reschedule' | 'finish'>;
  readonly send: (row: Row, signal: AbortSignal) => Promise<SendAttempt>;
  readonly ruleOf: (row: Row) => ConcurrencyRule;
  readonly wake: Pick<Wake, 'bell'>;
  /** Rings when rows were added. */
  readonly topic: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly report: (error: unknown) => void;
}

/** After a failure on our side, such as an unavailable database. */
const OWN_FAILURE_MS = 5 * SECOND_MS;
const SHORTEST_WAIT_MS = 5;
/** Rows of a large batch end close together: one poll then finds what follows all of them. */
const COALESCE_MS = 20;
/** How far back the lists of deliveries reach, and a repetition is recognised. */
const RETENTION_MS = 90 * DAY_MS;
const CLEANUP_INTERVAL_MS = HOUR_MS;

/**
 * The relay of a transactional outbox, in the one instance that holds its leader lease: delivers each due row at least once, with retries and back-off, until
 * it is delivered, refused for good, or its deadline passes (a dead letter).
 */
export class OutboxRelay<Row extends OutboxRow> {
  private readonly inFlight = new Map<string, { readonly rule: ConcurrencyRule; readonly done: Promise<void> }>();
  /** Due rows of the last read that had no room yet. */
  private waiting: readonly Row[] = [];
  /** Resolves when a row has ended whose place no row of the last read took. */
  private room: Promise<void> = Promise.resolve();
  private onRoom = (): void => undefined;
  private cleanedUpAt = 0;
  private polledAt = 0;

  constructor(private readonly parts: OutboxRelayParts<Row>) {}

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.parts.wake.bell(this.parts.topic);
    try {
      while (!signal.aborted) {
        if ((await this.poll(signal)) === 0) await this.waitForWork(bell, signal);
      }
    } finally {
      bell.close();
      await this.drain();
    }
  }

  /** Reads the due rows and starts those that there is room for; answers their number. */
  async poll(signal: AbortSignal): Promise<number> {
    this.polledAt = this.parts.clock.now();
    await this.cleanUp(this.polledAt);
    this.room = new Promise((resolve) => (this.onRoom = resolve));
    // None of the earlier rows may start, and end, while they are read again.
    this.waiting = [];
    this.waiting = await this.parts.due(this.polledAt, [...this.inFlight.keys()]);
    return this.startWaiting(signal);
  }

  /** Waits until nothing is in flight. */
  async drain(): Promise<void> {
    while (this.inFlight.size > 0) await Promise.all([...this.inFlight.values()].map(({ done }) => done));
  }

  /** Until a ring, the next due time, the end of a row that makes room, or a poll that finds something in the outbox. */
  private async waitForWork(bell: Bell, signal: AbortSignal): Promise<void> {
    // A signal that aborted during the poll calls no listener.
    if (signal.aborted) return;
    const waiting = new AbortController();
    const stop = (): void => {
      waiting.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      const room = this.room.then(() => 'room' as const);
      let atMostMs = await this.waitMs();
      for (;;) {
        const why = await Promise.race([bell.poll(waiting.signal, atMostMs), room]);
        if (why === 'room') await sleep(COALESCE_MS);
        if (why !== false || signal.aborted || !(await this.parts.isEmpty())) return;
        await this.cleanUp(this.parts.clock.now());
        atMostMs = Infinity;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      // A wait left behind would consume the next ring.
      waiting.abort();
    }
  }

  private async waitMs(): Promise<number> {
    const at = await this.parts.nextAt(this.polledAt);
    return at === null ? Infinity : Math.max(SHORTEST_WAIT_MS, at - this.parts.clock.now());
  }

  private async cleanUp(now: number): Promise<void> {
    if (now - this.cleanedUpAt < CLEANUP_INTERVAL_MS) return;
    this.cleanedUpAt = now;
    await this.parts.deleteFinished(now - RETENTION_MS);
  }

  private startWaiting(signal: AbortSignal): number {
    const before = this.waiting.length;
    this.waiting = this.waiting.filter((row) => {
      const rule = this.parts.ruleOf(row);
      if (signal.aborted || !this.hasRoom(rule)) return true;
      const done = this.attempt(row, signal).finally(() => {
        this.inFlight.delete(row.id);
        if (this.startWaiting(signal) === 0) this.onRoom();
      });
      this.inFlight.set(row.id, { rule, done });
      return false;
    });
    return before - this.waiting.length;
  }

  /** For another row under the rule. */
  private hasRoom({ channel, maxConcurrent, recipient }: ConcurrencyRule): boolean {
    const ofChannel = [...this.inFlight.values()].filter(({ rule }) => rule.channel === channel);
    return ofChannel.length < maxConcurrent && !ofChannel.some(({ rule }) => rule.recipient === recipient);
  }

  private async attempt(row: Row, signal: AbortSignal): Promise<void> {
    const { send, rows, clock, report } = this.parts;
    const giveUpAt = extendedDeadline(row, clock.now());
    try {
      await this.settle({ ...row, giveUpAt }, await send(row, signal));
    } catch (error) {
      report(error);
      const at = clock.now() + OWN_FAILURE_MS;
      const next = { at, giveUpAt: extendedDeadline(row, at) };
      await rows.reschedule(row.id, row.attempts, 'failed inside Watchledger', next).catch(() => undefined);
    }
  }

  /** The event comes first: after a crash in between, the derived command id makes its repeat a no-op. */
  private async settle({ id, attempts: earlier, giveUpAt }: OutboxRow, { outcome, record }: SendAttempt): Promise<void> {
    if (outcome.kind === 'abandoned') return;
    const { rows, clock, random } = this.parts;
    const [now, attempts] = [clock.now(), earlier + 1];
    if (outcome.kind === 'later' && now < giveUpAt.getTime()) {
      // A Retry-After beyond the deadline still gets one last attempt at the deadline.
      const at = Math.min(giveUpAt.getTime(), nextAttemptAt(attempts, outcome.afterMs, now, random()));
      return rows.reschedule(id, attempts, outcome.reason, { at, giveUpAt });
    }
    const end: DeliveryEnd = { ...endOf(outcome), attempts, at: now };
    await record?.(end);
    await rows.finish(id, end);
  }
}

function endOf(outcome: Exclude<SendOutcome, { readonly kind: 'abandoned' }>): Pick<DeliveryEnd, 'state' | 'answer'> {
  if (outcome.kind === 'delivered') return { state: 'delivered', answer: outcome.answer };
  return { state: 'failed', answer: outcome.kind === 'later' ? `tried for 24 hours: ${outcome.reason}` : outcome.reason };
}
