import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { HOUR_MS, SECOND_MS } from '../../kernel/time.ts';
import { errorText } from '../read-models/engine/parked-events.ts';

export interface ConsumerRow {
  /** The last event that it has handled. */
  readonly n: number;
  readonly eventId: string | null;
  readonly paused: boolean;
}

/** What is entered of a consumer when it runs for the first time. */
export interface NewConsumer {
  readonly name: string;
  /** What it does, for operators. */
  readonly about: string;
  /** The package of a reactor; null for a process manager. */
  readonly package?: string | null;
}

/** A partition whose retry is due, and the event that it begins with. */
export interface DueRetry {
  readonly scope: string;
  readonly n: number;
}

/** The pauses between two attempts at a parked event. */
export interface RetryPolicy {
  readonly firstMs: number;
  readonly factor: number;
  readonly mostMs: number;
  /** After this time an operator decides; when null, it is retried until it succeeds. */
  readonly forMs: number | null;
}

/** The first retry after a second, then four times as long each time, up to an hour; after three days an operator decides. */
export const RETRY_FOR_THREE_DAYS: RetryPolicy = { firstMs: SECOND_MS, factor: 4, mostMs: HOUR_MS, forMs: 72 * HOUR_MS };

export interface DeadLetterStatus {
  readonly events: number;
  readonly scopes: number;
  /** One of the scopes, as a starting point for the operator. */
  readonly first: string | null;
  /** Age of the oldest dead letter. */
  readonly seconds: number;
}

/** Rung when an operator asked a consumer for something. */
export const CONSUMER_TOPIC = 'consumers';

/** Optimistic concurrency: the checkpoint was moved by another instance or an operator, so this instance begins again from the table. */
export class ConsumerMoved extends Error {
  override readonly name = 'ConsumerMoved';

  constructor(consumer: string, n: number) {
    super(`the consumer ${consumer} is no longer at ${String(n)}: its checkpoint was moved`);
  }
}

type Database = Pick<pg.ClientBase, 'query'>;

/** Keeps the power within the range of a number; the pause has reached its longest by then. */
const MOST_POWER = 16;
/** Checkpoints and parked partitions of the consumers of the log. */
@Injectable()
export class ConsumerStore {
  constructor(private readonly db: pg.Pool) {}

  /** The row, which begins at `start` where there was none. */
  async open(consumer: NewConsumer, start: () => Promise<number>): Promise<ConsumerRow> {
    const { name, about, package: packageName = null } = consumer;
    const known = await this.read(name);
    if (known !== null) return known;
    await this.db.query('INSERT INTO consumer (name, about, package, n) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING', [
      name,
      about,
      packageName,
      await start(),
    ]);
    return this.open(consumer, start);
  }

  async read(name: string): Promise<ConsumerRow | null> {
    const { rows } = await this.db.query<{ n: string; event_id: string | null; paused: boolean }>({
      name: 'consumer',
      text: 'SELECT n, event_id, paused FROM consumer WHERE name = $1',
      values: [name],
    });
    const [row] = rows;
    return row === undefined ? null : { n: Number(row.n), eventId: row.event_id, paused: row.paused };
  }

  /** Compare-and-set; locks the row until the end of a transaction. */
  async move(name: string, from: number, { n, id }: Pick<LogEvent, 'n' | 'id'>, db: Database = this.db): Promise<void> {
    const { rowCount } = await db.query({
      name: 'consumer_move',
      text: 'UPDATE consumer SET n = $3, event_id = $4, moved_at = now(), error = NULL WHERE name = $1 AND n = $2',
      values: [name, from, n, id],
    });
    if (rowCount !== 1) throw new ConsumerMoved(name, from);
  }

  /** Locks the row of the consumer until the end of the transaction. */
  async lock(name: string, at: number, db: Database): Promise<void> {
    const { rowCount } = await db.query('SELECT FROM consumer WHERE name = $1 AND n = $2 FOR UPDATE', [name, at]);
    if (rowCount !== 1) throw new ConsumerMoved(name, at);
  }

  async noteError(name: string, error: string | null): Promise<void> {
    await this.db.query('UPDATE consumer SET error = $2 WHERE name = $1 AND error IS DISTINCT FROM $2', [name, error]);
  }

  /**
   * As long as the checkpoint is `at`: a move of the consumer releases what is parked behind it. What was skipped meanwhile stays skipped.
   * `handled`: so many events of the partition before it have been handled since it was parked.
   */
  async park(
    consumer: string,
    at: number,
    { event: { scope, n, id, type }, error, handled = 0 }: { readonly event: LogEvent; readonly error: unknown; readonly handled?: number },
    { firstMs, factor, mostMs, forMs }: RetryPolicy,
    db: Database = this.db,
  ): Promise<void> {
    const { rowCount } = await db.query(
      `WITH current AS (SELECT name FROM consumer WHERE name = $1 AND n = $7 FOR SHARE), parked AS (
         INSERT INTO consumer_parked AS p (consumer, scope, n, event_id, type, error, retry_at)
         SELECT name, $2, $3, $4, $5, $6, now() + $8::float8 * interval '1 millisecond' FROM current
         ON CONFLICT (consumer, scope) DO UPDATE SET n = excluded.n, event_id = excluded.event_id, type = excluded.type, error = excluded.error,
           waiting = greatest(p.waiting - $12, 1),
           attempts = CASE WHEN p.n = excluded.n THEN p.attempts + 1 ELSE 1 END,
           parked_at = CASE WHEN p.n = excluded.n THEN p.parked_at ELSE now() END,
           retry_at = CASE
             WHEN p.n < excluded.n THEN excluded.retry_at
             WHEN $11::float8 IS NULL OR p.parked_at > now() - $11::float8 * interval '1 millisecond'
               THEN now() + least($10::float8, $8::float8 * $9::float8 ^ least(p.attempts, ${String(MOST_POWER)})) * interval '1 millisecond'
           END
         WHERE excluded.n >= p.n
       ) SELECT FROM current`,
      [consumer, scope, n, id, type, errorText(error), at, firstMs, factor, mostMs, forMs, handled],
    );
    if (rowCount !== 1) throw new ConsumerMoved(consumer, at);
  }

  /** As long as the checkpoint is `at`. */
  async release(consumer: string, at: number, scope: string, db: Database = this.db): Promise<void> {
    const { rowCount } = await db.query(
      `WITH current AS (SELECT name FROM consumer WHERE name = $1 AND n = $3 FOR SHARE),
         released AS (DELETE FROM consumer_parked WHERE consumer = (SELECT name FROM current) AND scope = $2)
       SELECT FROM current`,
      [consumer, scope, at],
    );
    if (rowCount !== 1) throw new ConsumerMoved(consumer, at);
  }

  /** Counts the events that were passed over because their partition is parked. */
  async countWaiting(consumer: string, passed: ReadonlyMap<string, number>, db: Database = this.db): Promise<void> {
    if (passed.size === 0) return;
    await db.query(
      `UPDATE consumer_parked p SET waiting = p.waiting + passed.events FROM unnest($2::text[], $3::integer[]) AS passed (scope, events)
       WHERE p.consumer = $1 AND p.scope = passed.scope`,
      [consumer, [...passed.keys()], [...passed.values()]],
    );
  }

  async parkedScopes(consumer: string, db: Database = this.db): Promise<Set<string>> {
    const { rows } = await db.query<{ scope: string }>({
      name: 'consumer_scopes',
      text: 'SELECT scope FROM consumer_parked WHERE consumer = $1',
      values: [consumer],
    });
    return new Set(rows.map(({ scope }) => scope));
  }

  /** Partitions whose retry is due, the first ones first; not those of a page that a crash left unfinished and that is handled again first. */
  async due(consumer: string, until: number, limit: number): Promise<readonly DueRetry[]> {
    const { rows } = await this.db.query<{ scope: string; n: string }>({
      name: 'consumer_due',
      text: 'SELECT scope, n FROM consumer_parked WHERE consumer = $1 AND retry_at <= now() AND n <= $2 + 1 ORDER BY retry_at LIMIT $3',
      values: [consumer, until, limit],
    });
    return rows.map(({ scope, n }) => ({ scope, n: Number(n) }));
  }

  /** Milliseconds until the next retry is due; null when none is. */
  async nextDueMs(consumer: string): Promise<number | null> {
    const { rows } = await this.db.query<{ ms: number | null }>({
      name: 'consumer_next',
      text: 'SELECT (extract(epoch FROM min(retry_at) - now()) * 1000)::float8 AS ms FROM consumer_parked WHERE consumer = $1',
      values: [consumer],
    });
    return rows[0]?.ms ?? null;
  }

  /** Those of process managers; reactors show theirs to their teams. */
  async deadLetters(): Promise<DeadLetterStatus> {
    const { rows } = await this.db.query<DeadLetterStatus>(
      `SELECT coalesce(sum(waiting), 0)::int AS events, count(DISTINCT scope)::int AS scopes, min(scope) AS first,
         coalesce(extract(epoch FROM clock_timestamp() - min(parked_at)), 0)::float8 AS seconds
       FROM consumer_parked WHERE consumer IN (SELECT name FROM consumer WHERE package IS NULL)`,
    );
    return rows[0] ?? { events: 0, scopes: 0, first: null, seconds: 0 };
  }
}
