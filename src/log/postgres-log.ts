import type pg from 'pg';
import { LogDamaged, readLogRows } from '../event-store/log-rows.ts';
import type { Wake } from '../persistence/wake.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { LogEvent } from '../kernel/event.ts';
import { followPages } from './follow-pages.ts';
import { type Log, type LogQuery, NotInLogYet } from './log.ts';
import { nOfPosition } from './positions.ts';

const PAGE = 2_000;
const POLL_MS = 500;
/** Somebody waits for the answer to a write. */
const IMPATIENT_POLL_MS = 20;

/** The table, on either engine: whether the store itself or the mirror fills it makes no difference to a reader. */
export class PostgresLog implements Log {
  constructor(
    private readonly pool: pg.Pool,
    private readonly wake: Wake,
    private readonly clock: Clock = systemClock,
  ) {}

  read({ after, until = Number.MAX_SAFE_INTEGER, scope, limit }: LogQuery): Promise<readonly LogEvent[]> {
    return scope === undefined
      ? readLogRows(this.pool, {
          name: 'read_log',
          rows: 'SELECT * FROM log WHERE n > $1 AND n <= $2 ORDER BY n LIMIT $3',
          values: [after, until, limit],
        })
      : readLogRows(this.pool, {
          name: 'read_scope',
          // Compared as pairs, so that the index on both is the only one that fits: by `n` alone the planner reads everybody's events.
          rows: 'SELECT * FROM log WHERE (scope, n) > ($4, $1) AND (scope, n) <= ($4, $2) ORDER BY scope, n LIMIT $3',
          values: [after, until, limit, scope],
        });
  }

  async head(): Promise<number> {
    const { rows } = await this.pool.query<{ n: string | null }>({ name: 'log_head', text: 'SELECT max(n) AS n FROM log' });
    return Number(rows[0]?.n ?? -1);
  }

  async at(instant: string): Promise<number> {
    // The moment before the year 1, which the database does not know.
    if (instant.startsWith('0000')) return -1;
    const { rows } = await this.pool.query<{ n: string }>({ name: 'log_at', text: 'SELECT log_at($1) AS n', values: [instant] });
    return Number(rows[0]?.n ?? -1);
  }

  follow(after: number, signal: AbortSignal, batch = PAGE): AsyncIterable<readonly LogEvent[]> {
    return followPages((query) => this.read(query).catch(away), this.wake.bell('log'), after, signal, batch);
  }

  async waitBeyond(after: number, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    // The bell hangs before the look: a ring in between is not missed.
    const bell = this.wake.bell('log');
    try {
      for (;;) {
        if ((await this.head().catch(() => -1)) > after) return true;
        const rest = deadline - performance.now();
        if (rest <= 0 || signal?.aborted === true) return false;
        await bell.wait(Math.min(rest, POLL_MS), signal);
      }
    } finally {
      bell.close();
    }
  }

  async locate(position: string, deadline: number): Promise<number> {
    const bell = this.wake.bell('log');
    try {
      for (;;) {
        const n = await nOfPosition(this.pool, position);
        if (n !== null) return n;
        const rest = deadline - this.clock.now();
        if (rest <= 0) throw new NotInLogYet(`the log has not come as far as ${position}`);
        await bell.wait(Math.min(rest, IMPATIENT_POLL_MS));
      }
    } finally {
      bell.close();
    }
  }
}

/** A database that is away comes back, and the follower's place is its own. A damaged log does not mend by waiting. */
function away(error: unknown): readonly LogEvent[] {
  if (error instanceof LogDamaged) throw error;
  return [];
}
