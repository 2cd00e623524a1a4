import { ClosedBooks } from '../../src/platform/observations/closed-days/closed-books.ts';
import type pg from 'pg';
import type { Keyring } from '../../src/platform/security/keyring/keyring.ts';
import { ConsumerStore } from '../../src/platform/consumers/consumer-store.ts';
import type { Lease } from '../../src/platform/postgres/leases.ts';
import { MessageBundler } from '../../src/alerts/sender/message-bundler.ts';
import type { Wake } from '../../src/platform/postgres/wake.ts';
import { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import type { EventStore } from '../../src/platform/event-store/event-store.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import { MemoryLog } from '../support/memory/memory-log.ts';
import { type NotificationPipeline, openNotificationPipeline } from '../../src/alerts/notification-pipeline.ts';
import type { SimReceiver } from './sim-receiver.ts';
import type { SimLeaseTable } from './sim-leases.ts';
import type { SimSamples } from './sim-stores.ts';
import type { SimViews } from './sim-views.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

export interface NotificationParts {
  readonly time: VirtualTime;
  readonly pool: pg.Pool;
  readonly store: EventStore;
  readonly events: readonly LogEvent[];
  readonly views: SimViews;
  readonly samples: SimSamples;
  readonly wake: Wake;
  readonly leases: SimLeaseTable;
  readonly keyring: Keyring;
  readonly receiver: SimReceiver;
  readonly random: () => number;
  readonly broken: (what: string) => void;
  /** Called with the first event that a notifier reads. */
  readonly follows: (next: number) => void;
}

const SOON_MS = 300;
const LOOK_MS = 30_000;
const LONGEST_MS = 600_000;
const HELD_BACK_MS = 15_000;
const AGAIN_MS = 5_000;

interface Held {
  readonly lease: Lease;
  readonly process: NotificationPipeline;
  next: number;
  /** The next known time with something to send. */
  dueAt: number;
  /** The next time a report is due. */
  reportsAt: number;
}

/** The notifier and the sender of one machine while it holds their lease. They run on new events and at due times. */
export class SimNotifications {
  private held: Held | null = null;
  private turning = false;
  private again = false;
  private plannedAt = Infinity;
  private callOff: () => void = () => undefined;

  constructor(
    private readonly machine: Machine,
    private readonly parts: NotificationParts,
  ) {
    this.plan(LOOK_MS);
  }

  /** Something was appended. */
  ring(): void {
    if (this.turning) this.again = true;
    else if (this.held !== null) this.plan(SOON_MS);
  }

  /** A message became due. */
  intended(): void {
    if (this.held !== null) Object.assign(this.held, { dueAt: -Infinity, reportsAt: -Infinity });
  }

  private plan(inMs: number): void {
    const at = this.parts.time.now + inMs;
    if (at >= this.plannedAt) return;
    this.callOff();
    this.plannedAt = at;
    this.callOff = this.machine.after(inMs, () => {
      this.plannedAt = Infinity;
      this.turning = true;
      void this.parts.time.hold(this.turn().catch(() => this.afterTrouble())).then((wait) => {
        this.turning = false;
        this.plan(this.again ? SOON_MS : wait);
        this.again = false;
      });
    });
  }

  /** Answers how long to wait. */
  private async turn(): Promise<number> {
    const held = await this.hold();
    if (held === null) return LOOK_MS;
    const { events } = this.parts;
    const batch = events.slice(held.next);
    try {
      if (batch.length > 0) await held.process.notifications.handle(batch);
      await held.process.notifications.retryDue();
    } catch (error) {
      // As the real loop does: releases the lease and restarts at the stored checkpoint.
      this.held = null;
      await held.lease.release();
      throw error;
    }
    held.next += batch.length;
    if (held.reportsAt <= this.machine.now()) held.reportsAt = await this.report(held);
    if (held.dueAt <= this.machine.now()) held.dueAt = await this.send(held);
    const wait = Math.min(held.dueAt, held.reportsAt) - this.machine.now();
    return wait <= 0 ? HELD_BACK_MS : Math.min(LONGEST_MS, Math.max(SOON_MS, wait));
  }

  /** Returns the next time a report is due. */
  private async report({ process }: Held): Promise<number> {
    while ((await process.reports.planDue()) > 0);
    const { rows } = await this.parts.pool.query<{ at: Date | number | null }>('SELECT min(look_at) AS at FROM report_plan');
    const at = rows[0]?.at;
    return at instanceof Date ? at.getTime() : Infinity;
  }

  /** Returns the next time with something to send. */
  private async send({ process, lease }: Held): Promise<number> {
    while ((await process.delivery.poll(lease.signal)) > 0) await process.delivery.drain();
    return (await new MessageBundler(this.parts.pool).nextAt(this.machine.now())) ?? Infinity;
  }

  /** The operation may have succeeded without an answer, so the sender checks again soon. */
  private afterTrouble(): number {
    this.intended();
    return AGAIN_MS;
  }

  private async hold(): Promise<Held | null> {
    if (this.held !== null && !this.held.lease.signal.aborted) return this.held;
    this.held = null;
    const lease = await this.parts.leases.of(this.machine).acquire('notifying');
    if (lease === null) return null;
    try {
      const process = this.open();
      await process.notifications.load();
      await process.reports.addKnownAccounts();
      const { rows } = await this.parts.pool.query<{ n: string }>('SELECT n FROM consumer');
      const next = Number(rows[0]?.n ?? -1) + 1;
      this.parts.follows(next);
      return (this.held = { lease, process, next, dueAt: -Infinity, reportsAt: -Infinity });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  private open(): NotificationPipeline {
    const { events, views, samples, wake, keyring, receiver, random } = this.parts;
    return openNotificationPipeline({
      books: new ClosedBooks(this.parts.pool),
      consumers: new ConsumerStore(this.parts.pool),
      ...{ pool: this.parts.pool, views, samples, wake, keyring, random },
      runner: new CommandRunner(this.parts.store),
      log: new MemoryLog({ events }, wake),
      transports: {
        post: (request) => receiver.post(this.machine, request),
        postToService: (request) => receiver.post(this.machine, request),
        mailer: receiver.mailer(this.machine),
        mailFrom: 'Watchledger <watchledger@example.test>',
        ...{ pagerdutyUrl: '', pushoverUrl: '', pushbulletUrl: '' },
        vapid: () => Promise.reject(new Error('not available in this test')),
        now: this.machine.now,
      },
      // The database's clock is not the simulated one.
      retry: { firstMs: 0, factor: 1, mostMs: 0, forMs: null },
      mailIsConfigured: true,
      consoleOf: () => Promise.resolve(null),
      checkpoint: () => Promise.resolve(null),
      clock: { now: this.machine.now },
      report: (error) => {
        if (!/away|stopped/.test(String(error))) this.parts.broken(`${this.machine.name}: ${String(error)}`);
      },
    });
  }
}
