import type pg from 'pg';
import type { TimedQuery } from '../pool.ts';

/** What the primary had made durable at a moment: a replica that has it answers no older than the primary did then. */
export interface ReadIndex {
  /** Grows with each question. */
  readonly serial: number;
  /** Position in the write-ahead log, in bytes. */
  readonly lsn: number;
  /** The same, with asynchronous commits that readers of the primary see before they are durable. */
  readonly visibleLsn: number;
  /** The position of the read models. */
  readonly position: number;
  /** The last event of the log, -1 and null while there is none. */
  readonly n: number;
  readonly id: string | null;
}

interface IndexRow {
  readonly lsn: number;
  readonly visible: number;
  readonly position: string | null;
  readonly n: string | null;
  readonly id: string | null;
}

interface Question {
  readonly resolve: (index: ReadIndex) => void;
  readonly reject: (error: unknown) => void;
}

const TIMEOUT_MS = 1_000;

/** The functions are evaluated after the snapshot was taken: what it shows lies before this position. */
const INDEX = `SELECT (pg_current_wal_flush_lsn() - '0/0')::float8 AS lsn, (pg_current_wal_insert_lsn() - '0/0')::float8 AS visible, l.n, l.id,
    (SELECT p.n FROM projection p WHERE p.schema = $1 AND p.state = 'live') AS position
  FROM (SELECT) AS one LEFT JOIN (SELECT n, id FROM log ORDER BY n DESC LIMIT 1) AS l ON true`;

/**
 * Asks the primary for its read index (as in Raft, section 6.4). All who ask while a query is under way share the next one, so that no answer is older
 * than its question, and the primary answers one such query at a time whatever the number of reads.
 */
export class ReadIndexes {
  private waiting: Question[] = [];
  private isAsking = false;
  private serial = 0;

  constructor(
    private readonly primary: pg.Pool,
    /** The schema of the read models. */
    private readonly schema: string,
  ) {}

  next(): Promise<ReadIndex> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject });
      if (this.isAsking) return;
      this.isAsking = true;
      // The questions of one tick share the first query, too.
      setImmediate(() => void this.ask());
    });
  }

  private async ask(): Promise<void> {
    while (this.waiting.length > 0) {
      const asked = this.waiting;
      this.waiting = [];
      try {
        const index = await this.read();
        for (const { resolve } of asked) resolve(index);
      } catch (error) {
        for (const { reject } of asked) reject(error);
      }
    }
    this.isAsking = false;
  }

  private async read(): Promise<ReadIndex> {
    const serial = ++this.serial;
    const query: TimedQuery = { name: 'read_index', text: INDEX, values: [this.schema], query_timeout: TIMEOUT_MS };
    const { rows } = await this.primary.query<IndexRow>(query);
    const { lsn = 0, visible = 0, position = null, n = null, id = null } = rows[0] ?? {};
    return { serial, lsn, visibleLsn: visible, position: Number(position ?? -1), n: Number(n ?? -1), id };
  }
}
