import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { codeOf, reasonOf } from '../../../kernel/system-error.ts';
import { openPool, type TimedQuery } from '../pool.ts';
import type { ReadIndex } from './read-index.ts';

/** Why a replica is left out, and since when. */
export interface ReplicaOutage {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface ReplicaEvents {
  readonly onLeftOut: (replica: ReadReplica, outage: ReplicaOutage) => void;
  readonly onUsedAgain: (replica: ReadReplica) => void;
  /** A statement that it refused, or did not answer, is repeated on the primary. */
  readonly onRepeated: (replica: ReadReplica) => void;
}

/** What tells two servers apart, and two databases of one. */
interface ServerIdentity {
  /** Null when the role may not read it. */
  readonly cluster: string | null;
  readonly database: string;
}

/** The last event of a log. */
type LogEnd = Pick<ReadIndex, 'n' | 'id'>;

interface ProbeRow {
  readonly standby: boolean;
  /** Null on a server that is no standby. */
  readonly replayed: number | null;
  /** The last event of the log as the replica has it. */
  readonly n: string | null;
  readonly id: string | null;
  /** The id of the event at the position that was asked for; null while the replica has none there. */
  readonly known: string | null;
}

interface Waiter {
  readonly index: ReadIndex;
  readonly end: (hasReached: boolean) => void;
}

const CONNECTIONS = 12;
const CONNECT_MS = 1_000;
/** Longer ones are repeated on the primary, which allows more. */
const STATEMENT_MS = 5_000;
const PROBE_MS = 1_000;
/** Between two probes; the first ones follow closer. */
const MOST_PAUSE_MS = 25;

export const DIVERGED = 'its log differs from that of the primary';

const PERMISSION_DENIED = '42501';
const STARTED = 'SELECT extract(epoch FROM pg_postmaster_start_time())::float8 AS started';
const CLUSTER = 'SELECT system_identifier::text AS cluster FROM pg_control_system()';

/** The functions are evaluated after the snapshot was taken: a later one shows everything up to this position. */
const PROBE = `SELECT pg_is_in_recovery() AS standby, (pg_last_wal_replay_lsn() - '0/0')::float8 AS replayed, l.n, l.id,
    (SELECT id FROM log WHERE n = $1) AS known
  FROM (SELECT) AS one LEFT JOIN (SELECT n, id FROM log ORDER BY n DESC LIMIT 1) AS l ON true`;

/** The identity of the server and the database that a connection reaches. */
export async function identityOf(client: Pick<pg.Client, 'query'>): Promise<ServerIdentity> {
  const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
  const database = rows[0]?.database ?? '';
  try {
    const { rows: found } = await client.query<{ cluster: string }>(CLUSTER);
    return { cluster: found[0]?.cluster ?? null, database };
  } catch (error) {
    if (codeOf(error) !== PERMISSION_DENIED) throw error;
    return { cluster: null, database };
  }
}

/** Without credentials. */
export function replicaName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

export const isSameDatabase = (one: ServerIdentity, other: ServerIdentity): boolean =>
  one.database === other.database && (one.cluster === null || other.cluster === null || one.cluster === other.cluster);

/** One streaming standby of the database of the log. A connection of its own keeps asking how far it is, so that slow reads hold that up as little as it does them. */
export class ReadReplica {
  readonly name: string;
  readonly pool: pg.Pool;
  private readonly prober: pg.Pool;
  private readonly clients = new Set<pg.PoolClient>();
  private readonly waiters = new Set<Waiter>();
  private driving: Promise<void> | undefined;
  /** Left out until it has proven that it has what the primary has. */
  private out: ReplicaOutage | null = { reason: 'not reached yet', since: Date.now() };
  /** When the server started that was asked last: one that restarts may be behind where it was. */
  private started = 0;
  private replayed = -1;
  private head: LogEnd = { n: -1, id: null };
  /** The last index whose event it was seen to have. */
  private shared: ReadIndex | null = null;
  private reachedIndex: ReadIndex | null = null;
  private isLate = false;
  private isClosed = false;

  constructor(
    readonly url: string,
    private readonly primary: ServerIdentity,
    private readonly events: ReplicaEvents,
  ) {
    this.name = replicaName(url);
    const common = { readOnly: true, connectMs: CONNECT_MS, admission: (client: pg.Client) => this.admit(client) };
    this.pool = openPool(url, { ...common, name: 'replica', max: CONNECTIONS, statementTimeoutMs: STATEMENT_MS });
    this.prober = openPool(url, { ...common, name: 'replica watch', max: 1, statementTimeoutMs: PROBE_MS });
    for (const pool of [this.pool, this.prober]) {
      pool.on('connect', (client) => this.clients.add(client));
      pool.on('remove', (client) => this.clients.delete(client));
    }
  }

  get outage(): ReplicaOutage | null {
    return this.out;
  }

  get isUsed(): boolean {
    return this.out === null;
  }

  /** The position of the read models up to which everything can be read there. */
  get position(): number {
    return this.reachedIndex?.position ?? -1;
  }

  /** The end of the log as it was last seen there. */
  get end(): LogEnd {
    return this.head;
  }

  /** Whether it has everything of the index, at once or within `milliseconds`. One that was late is not waited for again. */
  async reached(index: ReadIndex, milliseconds: number): Promise<boolean> {
    if (!this.has(index)) {
      if (this.isLate) return false;
      this.isLate = !(await this.waitFor(index, milliseconds));
      return !this.isLate;
    }
    this.isLate = false;
    return true;
  }

  /** The same with asynchronous commits, which are sent to replicas once they are durable: waiting for them says nothing about the replica. */
  async reachedVisible(index: ReadIndex, milliseconds: number): Promise<boolean> {
    const visible = { ...index, lsn: index.visibleLsn };
    return this.has(visible) || (!this.isLate && (await this.waitFor(visible, milliseconds)));
  }

  /** The same for the watch, which waits also for one that was late. */
  async catchesUp(index: ReadIndex, milliseconds: number): Promise<boolean> {
    const hasCaughtUp = this.has(index) || (await this.waitFor(index, milliseconds));
    this.isLate = !hasCaughtUp;
    return hasCaughtUp;
  }

  use(): void {
    if (this.out === null) return;
    this.out = null;
    this.events.onUsedAgain(this);
  }

  /** What it has under way fails at once, and is repeated on the primary. */
  leaveOut(reason: string): void {
    // A probe under way fails when its pool ends.
    if (this.isClosed) return;
    const before = this.out;
    this.out = { reason, since: before?.since ?? Date.now() };
    this.replayed = -1;
    for (const client of this.clients) socketOf(client)?.destroy();
    for (const { end } of this.waiters) end(false);
    if (before?.reason !== reason) this.events.onLeftOut(this, this.out);
  }

  repeated(): void {
    this.events.onRepeated(this);
  }

  /** Asks how far it is, and leaves it out when it does not answer, or not as a replica does; then false. */
  async probe(index: ReadIndex | null): Promise<boolean> {
    const before = this.out;
    try {
      const query: TimedQuery = { name: 'replica_probe', text: PROBE, values: [index?.n ?? -1], query_timeout: PROBE_MS };
      const { rows } = await this.prober.query<ProbeRow>(query);
      const [row] = rows;
      const problem = row === undefined ? 'does not answer' : this.learn(row, index);
      if (problem === null) return true;
      this.leaveOut(problem);
    } catch (error) {
      // Otherwise it was left out meanwhile, which closed this connection.
      if (this.out === before) this.leaveOut(reasonOf(error));
    }
    return false;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const { end } of this.waiters) end(false);
    await this.driving;
    for (const client of this.clients) socketOf(client)?.destroy();
    await Promise.all([this.pool.end(), this.prober.end()]);
  }

  /** Answers why it cannot be used; null when it can, as far as it has come. */
  private learn({ standby, replayed, n, id, known }: ProbeRow, index: ReadIndex | null): string | null {
    if (!standby || replayed === null) return 'is no standby any more';
    if (index !== null && known !== null && known !== index.id) return DIVERGED;
    this.replayed = Math.max(this.replayed, replayed);
    this.head = { n: Number(n ?? -1), id };
    if (index !== null && known === index.id && index.serial > (this.shared?.serial ?? 0)) this.shared = index;
    return null;
  }

  private has(index: ReadIndex): boolean {
    const { shared } = this;
    const sharesEnd =
      index.n === -1 || (shared !== null && (shared.serial >= index.serial || (shared.n === index.n && shared.id === index.id)));
    if (!sharesEnd || this.replayed < index.lsn) return false;
    if (index.serial > (this.reachedIndex?.serial ?? 0)) this.reachedIndex = index;
    return true;
  }

  private waitFor(index: ReadIndex, milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (hasReached: boolean): void => {
        clearTimeout(timer);
        this.waiters.delete(waiter);
        resolve(hasReached);
      };
      const waiter: Waiter = { index, end };
      const timer = setTimeout(() => {
        end(false);
      }, milliseconds);
      this.waiters.add(waiter);
      this.driving ??= this.drive().finally(() => (this.driving = undefined));
    });
  }

  /** One probe after the other while reads wait. */
  private async drive(): Promise<void> {
    for (let probes = 1; this.waiters.size > 0; probes++) {
      const newest = [...this.waiters].reduce((one, other) => (other.index.serial > one.index.serial ? other : one));
      await this.probe(newest.index);
      for (const { index, end } of this.waiters) if (this.has(index)) end(true);
      if (this.waiters.size > 0) await sleep(Math.min(probes, MOST_PAUSE_MS));
    }
  }

  private async admit(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ started: number }>(STARTED);
    const started = rows[0]?.started ?? 0;
    if (started === this.started) return;
    if (!isSameDatabase(await identityOf(client), this.primary)) throw new OtherDatabase();
    this.started = started;
    this.replayed = -1;
    this.shared = null;
  }
}

/** The server is no replica of the database of the log. */
export class OtherDatabase extends Error {
  override readonly name = 'OtherDatabase';

  constructor() {
    super('is a database of another installation');
  }
}

/** Cast: the typings of the driver lack its connection. */
const socketOf = (client: pg.PoolClient): { destroy(): void } | undefined =>
  (client as { readonly connection?: { readonly stream?: { destroy(): void } } }).connection?.stream;
