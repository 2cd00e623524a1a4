import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DomainError } from '../../kernel/errors.ts';
import { isRecentlyHeld, STOPPED_SECONDS } from '../postgres/leases.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { NothingParked } from '../read-models/admin/projection-admin.ts';

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

const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
const IS_STOPPED = `NOT ${isRecentlyHeld('c.name')}`;

/** What operators read of the consumers of the log and change in them: the API, the command line and the metrics (docs/spec/beyond.md#B31). */
@Injectable()
export class ConsumerAdmin {
  constructor(private readonly db: pg.Pool) {}

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
    const { rowCount } = await this.db.query('SELECT FROM consumer WHERE name = $1', [name]);
    if (rowCount === 0) throw new ConsumerNotFound(name);
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
