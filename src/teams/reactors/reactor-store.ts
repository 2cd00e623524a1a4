import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { DomainError } from '../../kernel/errors.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { inTransaction } from '../../platform/postgres/transaction.ts';
import { isRecentlyHeld, STOPPED_SECONDS } from '../../platform/postgres/leases.ts';
import { errorText } from '../../platform/read-models/engine/parked-events.ts';

export interface ReactorRow {
  readonly n: number;
  readonly eventId: string | null;
  readonly paused: boolean;
}

/** A partition that waits behind an event which the reactor could not handle (a dead letter). */
export interface ParkedReaction {
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  readonly type: string;
  readonly error: string;
  readonly attempts: number;
  readonly parkedAt: string;
  /** Null: when an operator asks for it. */
  readonly retryAt: string | null;
}

/** A partition whose retry is due, and the event that it begins with. */
export type DueRetry = Pick<ParkedReaction, 'scope' | 'n'>;

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

/** Rung when an operator asked for something. */
export const REACTOR_TOPIC = 'reactors';

/** Its name in the table of processes, beside those of projections. */
export const processOfReactor = (name: string): string => `reactor ${name}`;

export class ReactorNotFound extends DomainError {
  readonly code = 'NO_SUCH_REACTOR';
}

/** It would begin anew at once. */
export class ReactorRuns extends DomainError {
  readonly code = 'REACTOR_RUNS';
}

/** Another instance moved the checkpoint: this one begins again. */
export class ReactorMoved extends Error {
  override readonly name = 'ReactorMoved';
}

/** A first retry after a second, then four times as long each time, up to an hour; after three days an operator decides. */
const RETRY = `CASE WHEN p.parked_at > now() - interval '72 hours' THEN now() + least(interval '1 hour', interval '1 second' * 4 ^ least(p.attempts, 8)) END`;
const IS_STOPPED = `NOT ${isRecentlyHeld(`'reactor ' || r.name`)}`;
const ISO = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;

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

/** Checkpoints and parked partitions of reactors. */
@Injectable()
export class ReactorStore {
  constructor(private readonly db: pg.Pool) {}

  /** The row, which begins at `from` where there was none. */
  async open(name: string, from: string, start: () => Promise<number>): Promise<ReactorRow> {
    const known = await this.read(name);
    if (known !== null) return known;
    await this.db.query('INSERT INTO team_reactor (name, package, n) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      name,
      from,
      await start(),
    ]);
    return this.open(name, from, start);
  }

  async read(name: string): Promise<ReactorRow | null> {
    const { rows } = await this.db.query<{ n: string; event_id: string | null; paused: boolean }>({
      name: 'team_reactor',
      text: 'SELECT n, event_id, paused FROM team_reactor WHERE name = $1',
      values: [name],
    });
    const [row] = rows;
    return row === undefined ? null : { n: Number(row.n), eventId: row.event_id, paused: row.paused };
  }

  /** Compare-and-set. */
  async move(name: string, from: number, { n, id }: Pick<LogEvent, 'n' | 'id'>): Promise<void> {
    const { rowCount } = await this.db.query({
      name: 'team_reactor_move',
      text: 'UPDATE team_reactor SET n = $3, event_id = $4, moved_at = now(), error = NULL WHERE name = $1 AND n = $2',
      values: [name, from, n, id],
    });
    if (rowCount !== 1) throw new ReactorMoved(`the reactor ${name} is no longer at ${String(from)}`);
  }

  async noteError(name: string, error: string | null): Promise<void> {
    await this.db.query('UPDATE team_reactor SET error = $2 WHERE name = $1 AND error IS DISTINCT FROM $2', [name, error]);
  }

  /** As long as the checkpoint is `at`: a move of the reactor releases what is parked behind it. What was skipped meanwhile stays skipped. */
  async park(reactor: string, at: number, { scope, n, id, type }: LogEvent, cause: unknown): Promise<void> {
    const { rowCount } = await this.db.query(
      `WITH current AS (SELECT name FROM team_reactor WHERE name = $1 AND n = $7 FOR SHARE), parked AS (
         INSERT INTO team_reactor_parked AS p (reactor, scope, n, event_id, type, error, attempts, retry_at)
         SELECT name, $2, $3, $4, $5, $6, 1, now() + interval '1 second' FROM current
         ON CONFLICT (reactor, scope) DO UPDATE SET n = excluded.n, event_id = excluded.event_id, type = excluded.type, error = excluded.error,
           attempts = CASE WHEN p.n = excluded.n THEN p.attempts + 1 ELSE 1 END,
           parked_at = CASE WHEN p.n = excluded.n THEN p.parked_at ELSE now() END,
           retry_at = CASE WHEN p.n = excluded.n THEN ${RETRY} ELSE now() + interval '1 second' END
         WHERE excluded.n >= p.n
       ) SELECT FROM current`,
      [reactor, scope, n, id, type, errorText(cause), at],
    );
    if (rowCount !== 1) throw new ReactorMoved(`the reactor ${reactor} is no longer at ${String(at)}`);
  }

  /** As long as the checkpoint is `at`. */
  async release(reactor: string, at: number, scope: string): Promise<void> {
    const { rowCount } = await this.db.query(
      `WITH current AS (SELECT name FROM team_reactor WHERE name = $1 AND n = $3 FOR SHARE),
         released AS (DELETE FROM team_reactor_parked WHERE reactor = (SELECT name FROM current) AND scope = $2)
       SELECT FROM current`,
      [reactor, scope, at],
    );
    if (rowCount !== 1) throw new ReactorMoved(`the reactor ${reactor} is no longer at ${String(at)}`);
  }

  async parkedScopes(reactor: string): Promise<Set<string>> {
    const { rows } = await this.db.query<{ scope: string }>({
      name: 'team_reactor_scopes',
      text: 'SELECT scope FROM team_reactor_parked WHERE reactor = $1',
      values: [reactor],
    });
    return new Set(rows.map(({ scope }) => scope));
  }

  /** Partitions whose retry is due, the first ones first; not those of a page that a crash left unfinished and that is handled again first. */
  async due(reactor: string, until: number, limit: number): Promise<readonly DueRetry[]> {
    const { rows } = await this.db.query<{ scope: string; n: string }>({
      name: 'team_reactor_due',
      text: 'SELECT scope, n FROM team_reactor_parked WHERE reactor = $1 AND retry_at <= now() AND n <= $2 + 1 ORDER BY retry_at LIMIT $3',
      values: [reactor, until, limit],
    });
    return rows.map(({ scope, n }) => ({ scope, n: Number(n) }));
  }

  /** Milliseconds until the next retry is due; null: none is. */
  async nextDueMs(reactor: string): Promise<number | null> {
    const { rows } = await this.db.query<{ ms: number | null }>({
      name: 'team_reactor_next',
      text: `SELECT (extract(epoch FROM min(retry_at) - now()) * 1000)::float8 AS ms FROM team_reactor_parked WHERE reactor = $1`,
      values: [reactor],
    });
    return rows[0]?.ms ?? null;
  }

  async list(): Promise<readonly ReactorStatus[]> {
    const { rows } = await this.db.query<Omit<ReactorStatus, 'error' | 'state' | 'gap'> & StateColumns>(
      `SELECT r.name, r.package, r.paused, ${IS_STOPPED} AS stopped, r.n::float8 AS position, head.n::float8 AS head,
         greatest(coalesce(extract(epoch FROM clock_timestamp() - (SELECT recorded_at FROM log WHERE log.n = r.n + 1)), 0), 0)::float8 AS lag,
         coalesce((SELECT 'its process ended and is started again: ' || t.reason FROM team_process t
           WHERE t.projection = 'reactor ' || r.name AND t.is_down), r.error) AS error,
         (SELECT count(*) FROM team_reactor_parked p WHERE p.reactor = r.name)::int AS parked
       FROM team_reactor r, (SELECT coalesce(max(n), -1) AS n FROM log) AS head ORDER BY r.name`,
    );
    return rows.map(({ paused, stopped, error, ...row }) => ({
      ...row,
      gap: Math.max(row.head - row.position, 0),
      ...stateOf({ paused, stopped, error }),
    }));
  }

  async parked(reactor: string): Promise<readonly ParkedReaction[]> {
    if ((await this.read(reactor)) === null) throw new ReactorNotFound(`the reactor ${reactor} does not exist`);
    const { rows } = await this.db.query<ParkedReaction>(
      `SELECT scope, n::float8 AS n, event_id AS "eventId", type, error, attempts, to_char(parked_at AT TIME ZONE 'UTC', ${ISO}) AS "parkedAt",
         to_char(retry_at AT TIME ZONE 'UTC', ${ISO}) AS "retryAt"
       FROM team_reactor_parked WHERE reactor = $1 ORDER BY n`,
      [reactor],
    );
    return rows;
  }

  /** Goes on after this position. What is parked behind it is released, since it is handled again; what is parked before it stays. */
  async moveTo(name: string, n: number): Promise<void> {
    await inTransaction(this.db, async (client) => {
      const text = 'UPDATE team_reactor SET n = $2, event_id = (SELECT id FROM log WHERE log.n = $2), error = NULL WHERE name = $1';
      if ((await client.query(text, [name, n])).rowCount === 0) throw new ReactorNotFound(`the reactor ${name} does not exist`);
      // A statement of its own: it sees what was parked until the row of the reactor was locked.
      await client.query('DELETE FROM team_reactor_parked WHERE reactor = $1 AND n > $2', [name, n]);
    });
  }

  /** Forgets how far it has come and what it has parked. */
  async remove(name: string): Promise<void> {
    const { rowCount } = await this.db.query(
      `WITH process AS (DELETE FROM team_process WHERE projection = $2 AND EXISTS (SELECT FROM team_reactor r WHERE name = $1 AND ${IS_STOPPED}))
       DELETE FROM team_reactor r WHERE name = $1 AND ${IS_STOPPED}`,
      [name, processOfReactor(name)],
    );
    if (rowCount === 1) return;
    if ((await this.read(name)) === null) throw new ReactorNotFound(`the reactor ${name} does not exist`);
    throw new ReactorRuns(
      `the reactor ${name} ran less than ${String(STOPPED_SECONDS)} s ago: take its package out of PROJECTIONS of every instance before it is removed`,
    );
  }

  async setPaused(name: string, paused: boolean): Promise<void> {
    const { rowCount } = await this.db.query('UPDATE team_reactor SET paused = $2 WHERE name = $1', [name, paused]);
    if (rowCount === 0) throw new ReactorNotFound(`the reactor ${name} does not exist`);
  }

  /** Tries the event again at once; false: it is not parked. */
  async retry(name: string, eventId: string): Promise<boolean> {
    const text = 'UPDATE team_reactor_parked SET retry_at = now() WHERE reactor = $1 AND event_id::text = $2';
    return (await this.db.query(text, [name, eventId])).rowCount === 1;
  }

  /** Goes on with the event after it; false: it is not parked. */
  async skip(name: string, eventId: string): Promise<boolean> {
    const text = 'UPDATE team_reactor_parked SET n = n + 1, retry_at = now() WHERE reactor = $1 AND event_id::text = $2';
    return (await this.db.query(text, [name, eventId])).rowCount === 1;
  }
}
