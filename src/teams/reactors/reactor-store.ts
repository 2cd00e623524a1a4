import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DomainError } from '../../kernel/errors.ts';
import { ConsumerStore, type ParkedPartition } from '../../platform/consumers/consumer-store.ts';
import { isRecentlyHeld, STOPPED_SECONDS } from '../../platform/postgres/leases.ts';

export interface ReactorStatus {
  readonly name: string;
  readonly package: string;
  /** `stopped`: no instance runs it. */
  readonly state: 'live' | 'paused' | 'failed' | 'stopped';
  readonly position: number;
  readonly head: number;
  readonly gap: number;
  /** Seconds. */
  readonly lag: number;
  readonly parked: number;
  readonly error?: string;
}

/** The name of its consumer, and in the table of processes, beside those of projections. */
export const consumerOfReactor = (name: string): string => `reactor ${name}`;

export class ReactorNotFound extends DomainError {
  readonly code = 'NO_SUCH_REACTOR';
}

/** It would begin anew at once. */
export class ReactorRuns extends DomainError {
  readonly code = 'REACTOR_RUNS';
}

const IS_STOPPED = `NOT ${isRecentlyHeld('c.name')}`;

interface StateColumns {
  readonly paused: boolean;
  readonly stopped: boolean;
  readonly error: string | null;
}

function stateOf({ paused, stopped, error }: StateColumns): Pick<ReactorStatus, 'state' | 'error'> {
  if (stopped) return { state: 'stopped', error: 'no instance with the role reactor has its package in PROJECTIONS' };
  if (error !== null) return { state: 'failed', error };
  return { state: paused ? 'paused' : 'live' };
}

/** The reactors among the consumers of the log, by their own names. */
@Injectable()
export class ReactorStore {
  private readonly consumers: ConsumerStore;

  constructor(private readonly db: pg.Pool) {
    this.consumers = new ConsumerStore(db);
  }

  async list(): Promise<readonly ReactorStatus[]> {
    const { rows } = await this.db.query<Omit<ReactorStatus, 'error' | 'state' | 'gap'> & StateColumns>(
      `SELECT substr(c.name, length('${consumerOfReactor('')}') + 1) AS name, c.package, c.paused, ${IS_STOPPED} AS stopped, c.n::float8 AS position,
         head.n::float8 AS head,
         greatest(coalesce(extract(epoch FROM clock_timestamp() - (SELECT recorded_at FROM log WHERE log.n = c.n + 1)), 0), 0)::float8 AS lag,
         coalesce((SELECT 'its process ended and is started again: ' || t.reason FROM team_process t
           WHERE t.projection = c.name AND t.is_down), c.error) AS error,
         (SELECT count(*) FROM consumer_parked p WHERE p.consumer = c.name)::int AS parked
       FROM consumer c, (SELECT coalesce(max(n), -1) AS n FROM log) AS head WHERE c.package IS NOT NULL ORDER BY c.name`,
    );
    return rows.map(({ paused, stopped, error, ...row }) => ({
      ...row,
      gap: Math.max(row.head - row.position, 0),
      ...stateOf({ paused, stopped, error }),
    }));
  }

  async parked(name: string): Promise<readonly ParkedPartition[]> {
    const consumer = consumerOfReactor(name);
    if ((await this.consumers.read(consumer)) === null) throw notFound(name);
    return this.consumers.parked(consumer);
  }

  async moveTo(name: string, n: number): Promise<void> {
    if (!(await this.consumers.moveTo(consumerOfReactor(name), n))) throw notFound(name);
  }

  /** Forgets how far it has come and what it has parked. */
  async remove(name: string): Promise<void> {
    const consumer = consumerOfReactor(name);
    const { rowCount } = await this.db.query(
      `WITH process AS (DELETE FROM team_process WHERE projection = $1 AND EXISTS (SELECT FROM consumer c WHERE name = $1 AND ${IS_STOPPED}))
       DELETE FROM consumer c WHERE name = $1 AND ${IS_STOPPED}`,
      [consumer],
    );
    if (rowCount === 1) return;
    if ((await this.consumers.read(consumer)) === null) throw notFound(name);
    throw new ReactorRuns(
      `the reactor ${name} ran less than ${String(STOPPED_SECONDS)} s ago: take its package out of PROJECTIONS of every instance before it is removed`,
    );
  }

  async setPaused(name: string, paused: boolean): Promise<void> {
    if (!(await this.consumers.setPaused(consumerOfReactor(name), paused))) throw notFound(name);
  }

  /** Tries the event again at once; false: it is not parked. */
  retry(name: string, eventId: string): Promise<boolean> {
    return this.consumers.retry(consumerOfReactor(name), eventId);
  }

  /** Goes on with the event after it; false: it is not parked. */
  skip(name: string, eventId: string): Promise<boolean> {
    return this.consumers.skip(consumerOfReactor(name), eventId);
  }
}

const notFound = (name: string): ReactorNotFound => new ReactorNotFound(`the reactor ${name} does not exist`);
