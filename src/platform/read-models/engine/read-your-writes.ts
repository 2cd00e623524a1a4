import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { AppendPosition } from '../../event-store/event-store.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { DomainError, RefusedUnderLoad } from '../../../kernel/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Wake } from '../../postgres/wake.ts';
import { runnerLeaseOf, wakeTopicOf } from './schema-names.ts';

/** Written, but not readable in time. Repeating the write with its `Idempotency-Key` waits again. */
export class NotVisibleYet extends DomainError {
  readonly code = 'NOT_VISIBLE_YET';

  constructor() {
    super('written, but not readable in time; it will be');
  }
}

/** Backpressure: the read models lag too far behind, so a write is refused before it is appended. */
export class ReadsBehind extends RefusedUnderLoad {
  readonly code = 'READS_BEHIND';
}

interface Waiter {
  readonly n: number;
  readonly resolve: () => void;
}

export interface ReadYourWritesOptions {
  readonly schema: string;
  readonly db: pg.Pool;
  readonly log: Log;
  readonly wake: Wake;
  readonly clock: Clock;
  /** Seconds that the source of the log lags behind its store. */
  readonly sourceLag?: () => number;
}

const TOLERATED_SECONDS = 2;
const POLL_MS = 250;
/** While nothing is written, waited for or behind. */
const IDLE_POLL_MS = 1_000;
/** While a request waits and another instance runs the views. */
const WAITING_POLL_MS = 25;
const FIRST_FILL_POLL_MS = 15;
const OTHER_VERSIONS_POLL_MS = 5;
const CATCH_UP_MS = 60_000;

/**
 * Read-your-writes consistency over all instances: a write is answered once every read shows it. Its backpressure gate refuses writes while
 * reads lag. The bell makes it prompt; correctness comes from polling the checkpoint.
 */
export class ReadYourWrites {
  private n = -1;
  private measured = { lagSeconds: Infinity, at: 0 };
  private readonly waiters = new Set<Waiter>();
  /** The runner is in this process and announces every step, so the table need not be asked. */
  private isRunningHere = false;
  private refreshing: Promise<void> | undefined;
  /** The position at the last poll. */
  private idleAt = -1;
  /** Schemas of other versions of the same views that are fed and read, as during a rolling upgrade. */
  private otherVersions: readonly string[] = [];
  private readonly closing = new AbortController();
  private watching: Promise<void> | undefined;

  constructor(private readonly options: ReadYourWritesOptions) {}

  async start(): Promise<void> {
    await this.refresh();
    this.watching ??= this.watch();
  }

  /** Resolves once the tables are filled and contain all events that were in the log at the time of the call. */
  async waitUntilCaughtUp(): Promise<void> {
    const { db, schema, log, clock } = this.options;
    const text = `SELECT FROM projection WHERE schema = $1 AND state NOT IN ('building', 'failed')`;
    while (!this.closing.signal.aborted) {
      const { rowCount } = await db.query(text, [schema]);
      if (rowCount === 1) break;
      await sleep(FIRST_FILL_POLL_MS);
    }
    await this.waitForPosition(await log.head(), clock.now() + CATCH_UP_MS);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.watching;
  }

  position(): number {
    return this.n;
  }

  /** Everything up to `n` is committed and can be read. */
  advance(n: number): void {
    if (n <= this.n) return;
    this.n = n;
    for (const waiter of this.waiters) {
      if (waiter.n > n) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Whether this process has the runner and calls `advance` after every step. */
  runningHere(isRunningHere: boolean): void {
    this.isRunningHere = isRunningHere;
  }

  /** Resolves once the events that a command appended can be read. `deadline`: milliseconds since the epoch; then rejects with `NotVisibleYet`. */
  async waitUntilVisible(appended: readonly AppendPosition[], deadline: number): Promise<void> {
    for (const { position } of appended) await this.waitForPosition(await this.options.log.locate(position, deadline), deadline);
  }

  /** The same for everything up to and including `n`. */
  async waitForPosition(n: number, deadline: number): Promise<void> {
    await this.waitForOwnVersion(n, deadline);
    if (this.otherVersions.length > 0) await this.waitForOtherVersions(n, deadline);
  }

  private async waitForOwnVersion(n: number, deadline: number): Promise<void> {
    if (n <= this.n) return;
    const remaining = deadline - this.options.clock.now();
    await new Promise<void>((resolve, reject) => {
      const waiter: Waiter = {
        n,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      const timer = setTimeout(
        () => {
          this.waiters.delete(waiter);
          reject(new NotVisibleYet());
        },
        Math.max(remaining, 0),
      );
      this.waiters.add(waiter);
      // After registering: the position may have been reached before, without an announcement.
      if (!this.isRunningHere) void this.refresh().catch(() => undefined);
    });
  }

  /** Instances of another version answer from their own tables. */
  private async waitForOtherVersions(n: number, deadline: number): Promise<void> {
    while (this.otherVersions.length > 0) {
      const { rows } = await this.options.db.query<{ n: string | null }>({
        name: 'projection_others',
        text: `SELECT min(n) AS n FROM projection WHERE schema = ANY($1::text[])`,
        values: [this.otherVersions],
      });
      if (Number(rows[0]?.n ?? n) >= n) return;
      if (this.options.clock.now() >= deadline) throw new NotVisibleYet();
      await sleep(OTHER_VERSIONS_POLL_MS);
    }
  }

  /** Seconds between now and the oldest event that cannot be read yet. */
  lag(): number {
    const { lagSeconds, at } = this.measured;
    const age = (this.options.clock.now() - at) / 1_000;
    // An overdue measurement counts as lag, because nothing is known since.
    const views = lagSeconds > 0 ? lagSeconds + age : Math.max(0, age - (IDLE_POLL_MS + POLL_MS) / 1_000);
    return Math.max(views, this.options.sourceLag?.() ?? 0);
  }

  /** The backpressure gate. */
  isOpen(): boolean {
    return this.lag() <= TOLERATED_SECONDS;
  }

  /** Throws `ReadsBehind` while the gate is closed. */
  check(): void {
    if (!this.isOpen()) throw new ReadsBehind('what is written now could not be read soon; try again in a moment');
  }

  private refresh(): Promise<void> {
    this.refreshing ??= this.measure().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async measure(): Promise<void> {
    const at = this.options.clock.now();
    const before = this.n;
    const { rows } = await this.options.db.query<{ n: string; lag: number | null; ahead: boolean; others: string[] }>({
      name: 'projection_lag',
      text: `SELECT p.n, p.n > coalesce((SELECT max(n) FROM log), -1) AS ahead,
          extract(epoch FROM clock_timestamp() - (SELECT recorded_at FROM log WHERE log.n = p.n + 1))::float8 AS lag,
          ARRAY(SELECT o.schema FROM projection o JOIN lease ON lease.name = $2 || o.schema AND lease.holder IS NOT NULL
            WHERE o.name = p.name AND o.schema <> p.schema AND o.state = 'live'
              AND lease.heartbeat > clock_timestamp() - interval '10 seconds'
              AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)) AS others
        FROM projection p WHERE p.schema = $1 AND p.state = 'live'`,
      values: [this.options.schema, runnerLeaseOf('')],
    });
    const row = rows[0];
    this.otherVersions = row?.others ?? [];
    const isKnown = row !== undefined && !row.ahead;
    this.measured = { lagSeconds: isKnown ? Math.max(row.lag ?? 0, 0) : Infinity, at };
    if (!isKnown) return;
    // What was announced before the query was committed before it: a lower checkpoint means lost commits, as after a failover.
    if (Number(row.n) < before) this.n = Number(row.n);
    this.advance(Number(row.n));
  }

  private pollMs(): number {
    const isIdle = this.measured.lagSeconds === 0 && this.waiters.size === 0 && this.n === this.idleAt;
    this.idleAt = this.n;
    return isIdle ? IDLE_POLL_MS : POLL_MS;
  }

  private async watch(): Promise<void> {
    const { signal } = this.closing;
    const bell = this.options.wake.bell(wakeTopicOf(this.options.schema));
    while (!signal.aborted) {
      const isAwaited = this.waiters.size > 0 && !this.isRunningHere;
      const rang = await bell.wait(isAwaited ? WAITING_POLL_MS : this.pollMs(), signal);
      // A ring of this process's own runner brings nothing new, but the lag has to be measured regularly.
      const isFresh = this.options.clock.now() - this.measured.at < POLL_MS;
      if (!signal.aborted && !(rang && this.isRunningHere && isFresh)) await this.refresh().catch(() => undefined);
    }
    bell.close();
  }
}
