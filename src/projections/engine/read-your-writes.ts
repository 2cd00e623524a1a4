import { wakeTopicOf } from './schema-names.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { Wake } from '../../persistence/wake.ts';
import type { AppendPosition } from '../../event-store/event-store.ts';
import type { Log } from '../../log/log.ts';
import type { Progress } from '../views/view-runner.ts';
import { runnerLeaseOf } from './schema-names.ts';

/** Written, but not readable in time. Repeating the write with its `Idempotency-Key` waits again. */
export class NotVisibleYet extends DomainError {
  readonly code = 'NOT_VISIBLE_YET';
}

/** The read models are too far behind: a write would not be readable soon, so it is refused before it is appended. */
export class ReadsBehind extends DomainError {
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
  /** Seconds that what fills the log is itself behind its store. */
  readonly sourceLag?: () => number;
}

const LATE = 'written, but not readable in time; it will be';
const TOLERATED_SECONDS = 2;
const LOOK_MS = 250;
/** Between two looks at tables that are being filled for the first time. */
const FILLING_LOOK_MS = 15;
const CATCHING_UP_MS = 60_000;
/** While somebody waits and another instance runs the views: polling is the truth, the bell only makes it prompt. */
const IMPATIENT_LOOK_MS = 25;
const OTHERS_MS = 5;

/** What can be read already, on every instance, whichever of them runs the views. */
export class ReadYourWrites implements Progress {
  private n = -1;
  private behind = { seconds: Infinity, at: 0 };
  private readonly waiters = new Set<Waiter>();
  /** True while the runner of this process tells every step: then nobody needs to ask the table. */
  private runsHere = false;
  private looking: Promise<void> | undefined;
  /** Other versions of the same views that are read and fed, as during an upgrade in steps. */
  private others: readonly string[] = [];
  private readonly closing = new AbortController();
  private watching: Promise<void> | undefined;

  constructor(private readonly options: ReadYourWritesOptions) {}

  async start(): Promise<void> {
    await this.look();
    this.watching ??= this.watch();
  }

  /** Resolves once the tables are filled and as far as the log was when this was asked. */
  async waitUntilCaughtUp(): Promise<void> {
    const { db, schema, log, clock } = this.options;
    const text = `SELECT FROM projection WHERE schema = $1 AND state NOT IN ('building', 'failed')`;
    while (!this.closing.signal.aborted) {
      const { rowCount } = await db.query(text, [schema]);
      if (rowCount === 1) break;
      await sleep(FILLING_LOOK_MS);
    }
    await this.waitForPosition(await log.head(), clock.now() + CATCHING_UP_MS);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.watching;
  }

  position(): number {
    return this.n;
  }

  advance(n: number): void {
    if (n <= this.n) return;
    this.n = n;
    for (const waiter of this.waiters) {
      if (waiter.n > n) continue;
      this.waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** The runner of this process took over, or gave up. */
  runningHere(yes: boolean): void {
    this.runsHere = yes;
  }

  /** Resolves once everything up to `n` can be read. `deadline`: milliseconds since the epoch; then `NotVisibleYet`. */
  async waitForPosition(n: number, deadline: number): Promise<void> {
    await this.reachedHere(n, deadline);
    if (this.others.length > 0) await this.reachedElsewhere(n, deadline);
  }

  private async reachedHere(n: number, deadline: number): Promise<void> {
    if (n <= this.n) return;
    const rest = deadline - this.options.clock.now();
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
          reject(new NotVisibleYet(LATE));
        },
        Math.max(rest, 0),
      );
      this.waiters.add(waiter);
      // Again after registering: it may have been reached while nobody was told.
      if (!this.runsHere) void this.look().catch(() => undefined);
    });
  }

  /** Instances of another version answer from tables of their own: what was written has to stand there too. */
  private async reachedElsewhere(n: number, deadline: number): Promise<void> {
    while (this.others.length > 0) {
      const { rows } = await this.options.db.query<{ n: string | null }>({
        name: 'projection_others',
        text: `SELECT min(n) AS n FROM projection WHERE schema = ANY($1::text[])`,
        values: [this.others],
      });
      if (Number(rows[0]?.n ?? n) >= n) return;
      if (this.options.clock.now() >= deadline) throw new NotVisibleYet(LATE);
      await sleep(OTHERS_MS);
    }
  }

  /** The same for the places that a command wrote. */
  async waitUntilVisible(places: readonly AppendPosition[], deadline: number): Promise<void> {
    for (const { position } of places) await this.waitForPosition(await this.options.log.locate(position, deadline), deadline);
  }

  /** Seconds between now and the oldest event that cannot be read yet. */
  lag(): number {
    const { seconds, at } = this.behind;
    const unseen = (this.options.clock.now() - at) / 1_000;
    // A look that is overdue is as bad as a lag: nothing is known since.
    const views = seconds > 0 ? seconds + unseen : Math.max(0, unseen - (2 * LOOK_MS) / 1_000);
    return Math.max(views, this.options.sourceLag?.() ?? 0);
  }

  /** Throws while a write should be refused. */
  check(): void {
    if (this.lag() > TOLERATED_SECONDS) throw new ReadsBehind('what is written now could not be read soon; try again in a moment');
  }

  private look(): Promise<void> {
    this.looking ??= this.measure().finally(() => (this.looking = undefined));
    return this.looking;
  }

  private async measure(): Promise<void> {
    const began = this.options.clock.now();
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
    this.others = row?.others ?? [];
    const known = row !== undefined && !row.ahead;
    this.behind = { seconds: known ? Math.max(row.lag ?? 0, 0) : Infinity, at: began };
    if (!known) return;
    // What was told here stood in the tables before we asked: they have lost it, as after a failover.
    if (Number(row.n) < before) this.n = Number(row.n);
    this.advance(Number(row.n));
  }

  private async watch(): Promise<void> {
    const { signal } = this.closing;
    const bell = this.options.wake.bell(wakeTopicOf(this.options.schema));
    while (!signal.aborted) {
      const impatient = this.waiters.size > 0 && !this.runsHere;
      const rang = await bell.wait(impatient ? IMPATIENT_LOOK_MS : LOOK_MS, signal);
      // One's own rings bring no news; the lag has to be measured all the same.
      const fresh = this.options.clock.now() - this.behind.at < LOOK_MS;
      if (!signal.aborted && !(rang && this.runsHere && fresh)) await this.look().catch(() => undefined);
    }
    bell.close();
  }
}
