import { Injectable } from '@nestjs/common';
import pg from 'pg';
import type { LogEvent } from '../../kernel/event.ts';
import { DomainError } from '../../kernel/errors.ts';
import { HOUR_MS, SECOND_MS } from '../../kernel/time.ts';
import { isRecentlyHeld, STOPPED_SECONDS } from '../postgres/leases.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { NothingParked } from '../read-models/admin/projection-admin.ts';
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

export const CONSUMER_STATES = ['live', 'paused', 'failed', 'stopped'] as const;

export interface ConsumerStatus {
  readonly name: string;
  readonly about: string;
  readonly package: string | null;
  /** `stopped`: no instance runs it. */
  readonly state: (typeof CONSUMER_STATES)[number];
  readonly position: number;
  readonly head: number;
  /** Events. */
  readonly gap: number;
  /** Seconds. */
  readonly lag: number;
  /** Partitions. */
  readonly parked: number;
  readonly error?: string;
}

/** A partition that waits behind an event which the consumer could not handle (a dead letter). */
export interface ParkedPartition {
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  readonly type: string;
  readonly error: string;
  readonly attempts: number;
  readonly parkedAt: string;
  /** Null when only an operator retries it. */
  readonly retryAt: string | null;
}

/** A partition whose retry is due, and the event that it begins with. */
export type DueRetry = Pick<ParkedPartition, 'scope' | 'n'>;

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

export class ConsumerNotFound extends DomainError {
  readonly code = 'NO_SUCH_CONSUMER';

  constructor(name: string) {
    super(`the consumer ${name} does not exist`);
  }
}

/** It would begin anew at once. */
export class ConsumerRuns extends DomainError {
  readonly code = 'CONSUMER_RUNS';
}

type Database = Pick<pg.ClientBase, 'query'>;

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
/** Keeps the power within the range of a number; the pause has reached its longest by then. */
const MOST_POWER = 16;
const IS_STOPPED = `NOT ${isRecentlyHeld('c.name')}`;

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

  async list(): Promise<readonly ConsumerStatus[]> {
    const { rows } = await this.db.query<
      Omit<ConsumerStatus, 'state' | 'gap' | 'error'> & {
        readonly paused: boolean;
        readonly stopped: boolean;
        readonly error: string | null;
      }
    >(
      `SELECT c.name, c.about, c.package, c.paused, c.error, ${IS_STOPPED} AS stopped, c.n::float8 AS position, head.n::float8 AS head,
         greatest(coalesce(extract(epoch FROM clock_timestamp() - (SELECT recorded_at FROM log WHERE log.n = c.n + 1)), 0), 0)::float8 AS lag,
         (SELECT count(*) FROM consumer_parked p WHERE p.consumer = c.name)::int AS parked
       FROM consumer c, (SELECT coalesce(max(n), -1) AS n FROM log) AS head ORDER BY c.package IS NOT NULL, c.name`,
    );
    return rows.map(({ paused, stopped, error, ...row }) => ({
      ...row,
      gap: Math.max(row.head - row.position, 0),
      ...stateOf(row.package, { paused, stopped, error }),
    }));
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

  async parked(consumer: string): Promise<readonly ParkedPartition[]> {
    await this.refuseUnknown(consumer);
    const { rows } = await this.db.query<ParkedPartition>(
      `SELECT scope, n::float8 AS n, event_id AS "eventId", type, error, attempts, to_char(parked_at AT TIME ZONE 'UTC', ${ISO}) AS "parkedAt",
         to_char(retry_at AT TIME ZONE 'UTC', ${ISO}) AS "retryAt"
       FROM consumer_parked WHERE consumer = $1 ORDER BY n`,
      [consumer],
    );
    return rows;
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

  /** The events that wait, by scope. */
  async waitingByScope(consumer: string, scopes: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.db.query<{ scope: string; waiting: number }>(
      'SELECT scope, waiting FROM consumer_parked WHERE consumer = $1 AND scope = ANY ($2)',
      [consumer, scopes],
    );
    return new Map(rows.map(({ scope, waiting }) => [scope, waiting]));
  }

  /** Goes on after this position. What is parked behind it is released, since it is handled again; what is parked before it stays. */
  async moveTo(name: string, n: number): Promise<void> {
    await inTransaction(this.db, async (client) => {
      const text = 'UPDATE consumer SET n = $2, event_id = (SELECT id FROM log WHERE log.n = $2), error = NULL WHERE name = $1';
      if ((await client.query(text, [name, n])).rowCount === 0) throw new ConsumerNotFound(name);
      // Statements of their own: they see what was parked until the row of the consumer was locked.
      await client.query('DELETE FROM consumer_parked WHERE consumer = $1 AND n > $2', [name, n]);
      // The events after the position are counted again as they are passed over.
      await client.query('UPDATE consumer_parked SET waiting = 1 WHERE consumer = $1', [name]);
    });
  }

  async setPaused(name: string, paused: boolean): Promise<void> {
    const { rowCount } = await this.db.query('UPDATE consumer SET paused = $2 WHERE name = $1', [name, paused]);
    if (rowCount !== 1) throw new ConsumerNotFound(name);
  }

  /** Tries the event again at once. */
  retry(name: string, eventId: string): Promise<void> {
    return this.changeParked('retry_at = now()', name, eventId);
  }

  /** Goes on with the event after it. */
  skip(name: string, eventId: string): Promise<void> {
    return this.changeParked('n = n + 1, waiting = greatest(waiting - 1, 1), retry_at = now()', name, eventId);
  }

  /** Forgets how far a reactor has come and what it has parked. */
  async remove(name: string): Promise<void> {
    const { rowCount } = await this.db.query(`DELETE FROM consumer c WHERE name = $1 AND package IS NOT NULL AND ${IS_STOPPED}`, [name]);
    if (rowCount === 1) return;
    await this.refuseUnknown(name);
    throw new ConsumerRuns(
      `the consumer ${name} is part of the service, or ran less than ${String(STOPPED_SECONDS)} s ago: only a reactor can be removed, once its package is taken out of PROJECTIONS of every instance`,
    );
  }

  private async changeParked(change: string, name: string, eventId: string): Promise<void> {
    const text = `UPDATE consumer_parked SET ${change} WHERE consumer = $1 AND event_id::text = $2`;
    if ((await this.db.query(text, [name, eventId])).rowCount !== 1) throw new NothingParked(`no event ${eventId} is parked in ${name}`);
  }

  private async refuseUnknown(name: string): Promise<void> {
    if ((await this.read(name)) === null) throw new ConsumerNotFound(name);
  }
}

function stateOf(
  packageName: string | null,
  { paused, stopped, error }: { readonly paused: boolean; readonly stopped: boolean; readonly error: string | null },
): Pick<ConsumerStatus, 'state' | 'error'> {
  if (stopped)
    return {
      state: 'stopped',
      error: `no instance with the role reactor ${packageName === null ? 'runs it' : 'has its package in PROJECTIONS'}`,
    };
  if (error !== null) return { state: 'failed', error };
  return { state: paused ? 'paused' : 'live' };
}
