import { setMaxListeners } from 'node:events';
import { type LeaseTimes, holdLease, type Lease, LEASE_TIMES, type Leases } from './leases.ts';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Heartbeats } from './heartbeats.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { connectionSettings } from './connection-settings.ts';
import { clientClass, DatabaseClient } from './database-client.ts';
import { watchedBy } from './watched-client.ts';
import type { Wake } from './wake.ts';
import pg from 'pg';

interface Held {
  readonly name: string;
  readonly epoch: number;
}

interface Kept extends Held {
  readonly lost: AbortController;
  /** When the last successful heartbeat was sent, by a monotonic clock. */
  renewed: number;
}

/** Sends the heartbeats of all leases of a process in one statement, and drops leases that could not be renewed in time. */
export class LeaseKeeper {
  private readonly kept = new Map<string, Kept>();
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly times: Pick<LeaseTimes, 'renewMs' | 'lostMs'>,
    private readonly renew: (held: readonly Held[]) => Promise<readonly string[]>,
  ) {
    this.timer = setInterval(() => {
      this.tick();
    }, times.renewMs / 4);
    this.timer.unref();
  }

  keep(held: Held, renewed: number): AbortSignal {
    // Acquired anew before the loss was noticed: the former lease ends.
    this.drop(held.name);
    const lost = new AbortController();
    // All work under a lease listens to this signal: many listeners are not a leak.
    setMaxListeners(0, lost.signal);
    this.kept.set(held.name, { ...held, lost, renewed });
    return lost.signal;
  }

  /** False when it was lost or dropped before; with an epoch, also when the lease has another one. */
  drop(name: string, epoch?: number): boolean {
    const kept = this.kept.get(name);
    if (kept === undefined || (epoch !== undefined && kept.epoch !== epoch)) return false;
    this.kept.delete(name);
    kept.lost.abort(new Error(`the lease ${name} ended`));
    return true;
  }

  held(): readonly Held[] {
    return [...this.kept.values()];
  }

  renewNow(): void {
    if (this.kept.size > 0) this.renewing ??= this.heartbeat().finally(() => (this.renewing = undefined));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const name of [...this.kept.keys()]) this.drop(name);
    await this.renewing;
  }

  private tick(): void {
    const now = performance.now();
    for (const { name, renewed } of [...this.kept.values()]) if (now - renewed >= this.times.lostMs) this.drop(name);
    if ([...this.kept.values()].some(({ renewed }) => now - renewed >= this.times.renewMs)) this.renewNow();
  }

  private async heartbeat(): Promise<void> {
    const asked = [...this.kept.values()];
    const sent = performance.now();
    try {
      const renewed = new Set(await this.renew(asked));
      for (const kept of asked) {
        if (this.kept.get(kept.name) !== kept) continue;
        if (renewed.has(kept.name)) kept.renewed = sent;
        else this.drop(kept.name);
      }
    } catch {
      // The database is unavailable: `tick` drops what is not renewed in time.
    }
  }
}

export interface PostgresLease extends Lease {
  /** Whether the fencing token is still valid; if so, it stays valid until the transaction ends. Heartbeats continue. */
  holds(transaction: pg.ClientBase): Promise<boolean>;
}

const ANSWER_MS = 3_000;

const OUR_BACKEND = `pg_backend_pid(), (SELECT a.backend_start FROM pg_stat_activity a WHERE a.pid = pg_backend_pid())`;

/** Microseconds: an epoch lost in a failover to a standby that lags behind is never issued again. */
const NOW = `floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`;

/** The heartbeat value: changes with every owner and every heartbeat. */
const SIGN = `lease.epoch || ' ' || extract(epoch FROM lease.heartbeat)`;

/** Released, without a new heartbeat for too long, or held by a connection that has ended, as after a crash. */
const FREE = `(lease.holder IS NULL
  OR ${SIGN} = $3
  OR NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start))`;

/**
 * Inserts the row, or takes it over. Of two concurrent inserts one conflicts with either unique index, gets no row and does not see the new one. A
 * lease that is not free is only read, never locked against its owner.
 */
const ACQUIRE = `
  WITH made AS (
    INSERT INTO lease (name, holder, epoch, heartbeat, pid, backend_start)
    SELECT $1, $2, ${NOW}, clock_timestamp(), ${OUR_BACKEND}
    WHERE NOT EXISTS (SELECT FROM lease WHERE lease.name = $1)
    ON CONFLICT DO NOTHING
    RETURNING epoch
  ), taken AS (
    UPDATE lease SET holder = $2, epoch = greatest(lease.epoch + 1, ${NOW}), heartbeat = clock_timestamp(), (pid, backend_start) = (SELECT ${OUR_BACKEND})
    WHERE lease.name = $1 AND ${FREE}
    RETURNING epoch
  )
  SELECT epoch, NULL AS sign FROM made UNION ALL SELECT epoch, NULL FROM taken
  UNION ALL SELECT NULL, ${SIGN} FROM lease WHERE lease.name = $1 AND NOT EXISTS (SELECT FROM taken)`;

const RENEW = `
  UPDATE lease SET heartbeat = clock_timestamp(), (pid, backend_start) = (SELECT ${OUR_BACKEND})
  FROM unnest($1::text[], $2::bigint[]) AS held(name, epoch)
  WHERE lease.name = held.name AND lease.epoch = held.epoch AND lease.holder = $3
  RETURNING lease.name`;

/**
 * All leases of a process belong to one connection, which lives as long as the process: when it dies, so does its backend, and a waiting
 * instance takes over at once.
 */
export class PostgresLeases implements Leases<PostgresLease> {
  private readonly holder = `${hostname()} ${String(process.pid)} ${randomUUID()}`;
  private readonly times: LeaseTimes;
  private readonly connection: pg.Pool;
  private readonly keeper: LeaseKeeper;
  /** Heartbeats of the instances that hold leases which this one waits for. */
  private readonly others = new Heartbeats();

  constructor(
    url: string,
    private readonly wake: Wake,
    times: Partial<LeaseTimes> = {},
    watch?: ConnectionWatch,
  ) {
    this.times = { ...LEASE_TIMES, ...times };
    const settings = connectionSettings(url, { name: 'leases', statementTimeoutMs: ANSWER_MS });
    this.connection = new pg.Pool({
      ...settings,
      query_timeout: ANSWER_MS,
      max: 1,
      idleTimeoutMillis: 0,
      ...(watch ? watchedBy(watch) : clientClass(DatabaseClient)),
    });
    this.keeper = new LeaseKeeper(this.times, (held) => this.renew(held));
    // Another backend must own the leases before other instances notice the end of the old one.
    this.connection.on('error', () => this.keeper.renewNow());
  }

  async acquire(name: string): Promise<PostgresLease | null> {
    const asked = performance.now();
    const { rows } = await this.connection.query<{ epoch: string; sign: null } | { epoch: null; sign: string }>({
      name: 'lease_acquire',
      text: ACQUIRE,
      values: [name, this.holder, this.others.staleValue(name, this.times.freeMs)],
    });
    const [row] = rows;
    if (row === undefined) return null;
    if (row.epoch === null) {
      this.others.observe(name, row.sign);
      return null;
    }
    this.others.forget(name);
    const epoch = Number(row.epoch);
    const signal = this.keeper.keep({ name, epoch }, asked);
    return { name, epoch, signal, holds: (transaction) => holds(transaction, name, epoch), release: () => this.release(name, epoch) };
  }

  async hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: PostgresLease) => Promise<void>): Promise<void> {
    const bell = this.wake.bell('leases');
    try {
      await holdLease(
        () => this.acquire(name),
        () => bell.wait(this.times.pollMs, signal),
        signal,
        work,
      );
    } finally {
      bell.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.keeper.held().map(({ name, epoch }) => this.release(name, epoch)));
    await this.keeper.close();
    await this.connection.end();
  }

  /** A lease that cannot be released, because the database is unavailable, becomes free with the end of the backend or by time. */
  private async release(name: string, epoch: number): Promise<void> {
    if (!this.keeper.drop(name, epoch)) return;
    await this.connection
      .query('UPDATE lease SET holder = NULL WHERE name = $1 AND epoch = $2 AND holder = $3', [name, epoch, this.holder])
      .catch(() => undefined);
    this.wake.ring('leases');
  }

  private async renew(held: readonly { name: string; epoch: number }[]): Promise<readonly string[]> {
    const values = [held.map(({ name }) => name), held.map(({ epoch }) => epoch), this.holder];
    const { rows } = await this.connection.query<{ name: string }>({ name: 'lease_renew', text: RENEW, values });
    return rows.map(({ name }) => name);
  }
}

async function holds(transaction: pg.ClientBase, name: string, epoch: number): Promise<boolean> {
  const { rowCount } = await transaction.query({
    name: 'lease_holds',
    text: 'SELECT FROM lease WHERE name = $1 AND epoch = $2 AND holder IS NOT NULL FOR KEY SHARE',
    values: [name, epoch],
  });
  return rowCount === 1;
}
