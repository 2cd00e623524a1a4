import type pg from 'pg';
import { pause } from '../../../kernel/abortable.ts';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { beginReading } from './current-replica.ts';
import { type ReadIndex, ReadIndexes } from './read-index.ts';
import { DIVERGED, identityOf, OtherDatabase, ReadReplica, type ReplicaEvents } from './read-replica.ts';

/** Which server a read was sent to; `late`: none of the replicas had caught up in time, `out`: all of them are left out. */
export type ReadPlace = 'replica' | 'late' | 'out';

export interface ReadReplicasOptions extends ReplicaEvents {
  readonly urls: readonly string[];
  /** Its queries wait behind no request. */
  readonly primary: pg.Pool;
  /** The schema of the read models. */
  readonly schema: string;
  readonly onRead: (place: ReadPlace) => void;
  /** Everything up to this position of the read models is committed on the primary. */
  readonly onPosition: (position: number) => void;
}

/** How long a read waits for a replica before the primary answers it. */
const WAIT_MS = 100;
/** For a command of the command line, which reads much. */
const PATIENT_WAIT_MS = 5_000;
/** A replica that is further behind is left out. */
const LATE_MS = 1_000;
const ROUND_MS = 500;

/**
 * The read replicas of `READ_URL`. Each read asks the primary for its read index, and a replica answers it once it has replayed that far, so that reads
 * are as current as on the primary, whichever instance and replica answer (docs/decisions/read-replicas.md).
 */
export class ReadReplicas {
  private readonly indexes: ReadIndexes;
  private readonly closing = new AbortController();
  private readonly watching: Promise<unknown>;
  private turn = 0;

  private constructor(
    readonly all: readonly ReadReplica[],
    private readonly options: ReadReplicasOptions,
  ) {
    this.indexes = new ReadIndexes(options.primary, options.schema);
    this.watching = Promise.all(all.map((replica) => this.watch(replica)));
  }

  /** Replicas that cannot be reached are used as soon as they can; one of another installation refuses the start. */
  static async open(options: ReadReplicasOptions): Promise<ReadReplicas> {
    const primary = await identityOf(options.primary);
    const replicas = options.urls.map((url) => new ReadReplica(url, primary, options));
    const reached = await Promise.all(replicas.map((replica) => replica.pool.query('SELECT').catch((error: unknown) => error)));
    const strange = replicas.filter((_, index) => reached[index] instanceof OtherDatabase).map(({ name }) => name);
    if (strange.length > 0) {
      await Promise.all(replicas.map((replica) => replica.close()));
      throw new StartRefused(`READ_URL: ${strange.join(', ')} is no replica of this installation's database, but another one`);
    }
    return new ReadReplicas(replicas, options);
  }

  /** The replica to answer a read that begins now; null for the primary. */
  choose(waitMs = WAIT_MS): Promise<ReadReplica | null> {
    return this.reaching((replica, index) => replica.reached(index, waitMs));
  }

  /** The same for tables that are written by asynchronous commits. */
  chooseForTables(): Promise<ReadReplica | null> {
    return this.reaching((replica, index) => replica.reachedVisible(index, WAIT_MS));
  }

  /** Reads of `work` are answered by one replica, where one catches up. */
  async read<T>(work: () => Promise<T>): Promise<T> {
    await Promise.all(this.all.map((replica) => this.examine(replica)));
    const replica = await this.choose(PATIENT_WAIT_MS);
    if (replica === null) return work();
    return new Promise<T>((resolve, reject) => {
      const end = beginReading(replica, () => {
        work()
          .finally(() => {
            end();
          })
          .then(resolve, reject);
      });
    });
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.all.map((replica) => replica.close()));
    await this.watching;
  }

  private async reaching(hasReached: (replica: ReadReplica, index: ReadIndex) => Promise<boolean>): Promise<ReadReplica | null> {
    const used = this.all.filter(({ isUsed }) => isUsed);
    const replica = used[this.turn++ % used.length];
    if (replica === undefined) return this.primary('out');
    const index = await this.index();
    // The primary may have to answer this read, or the next one, and must not name an earlier position.
    if (index !== null) this.options.onPosition(index.position);
    if (index === null || !(await hasReached(replica, index))) return this.primary('late');
    this.options.onRead('replica');
    return replica;
  }

  private primary(place: ReadPlace): null {
    this.options.onRead(place);
    return null;
  }

  /** Null when the primary does not answer. */
  private index(): Promise<ReadIndex | null> {
    return this.indexes.next().catch(() => null);
  }

  private async watch(replica: ReadReplica): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await this.examine(replica);
      await pause(ROUND_MS, signal);
    }
  }

  /** Leaves out what is away, behind or no replica, and takes back what is none of it. */
  private async examine(replica: ReadReplica): Promise<void> {
    const index = await this.index();
    if (this.closing.signal.aborted) return;
    // Also where nothing new was written, and nothing is read.
    if (!(await replica.probe(index)) || index === null) return;
    const before = replica.outage;
    if (!(await replica.catchesUp(index, LATE_MS))) {
      // Otherwise it stopped answering meanwhile, which is the reason.
      if (replica.outage === before) replica.leaveOut(`is more than ${String(LATE_MS / 1_000)} s behind the primary`);
      return;
    }
    const isShared = await this.has(replica.end);
    if (isShared === true) replica.use();
    if (isShared === false) replica.leaveOut(DIVERGED);
  }

  /** Whether the primary has the last event of a replica: where it has not, the replica follows another server. Null when the primary does not answer. */
  private async has({ n, id }: ReadReplica['end']): Promise<boolean | null> {
    if (n === -1) return true;
    try {
      const { rows } = await this.options.primary.query<{ id: string }>({
        name: 'event_id',
        text: 'SELECT id FROM log WHERE n = $1',
        values: [n],
      });
      return rows[0]?.id === id;
    } catch {
      return null;
    }
  }
}
