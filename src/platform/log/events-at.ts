import type pg from 'pg';
import { readLogRows } from '../event-store/log-rows.ts';
import type { LogEvent } from '../../kernel/event.ts';

/** The events at these positions, in the order of the log; those that the log does not have are missing. */
export const eventsAt = (pool: pg.Pool, positions: readonly number[]): Promise<readonly LogEvent[]> =>
  positions.length === 0
    ? Promise.resolve([])
    : readLogRows(pool, { name: 'log_events_at', rows: 'SELECT * FROM log WHERE n = ANY ($1::bigint[]) ORDER BY n', values: [positions] });
