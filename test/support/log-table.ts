import type pg from 'pg';
import { readLogRows } from '../../src/platform/event-store/log-rows.ts';
import type { LogEvent } from '../../src/kernel/event.ts';
import type { Log } from '../../src/platform/log/log.ts';

/** The table `log` without an event store: tests insert into it. */
export const tableLog = (pool: pg.Pool): Pick<Log, 'read' | 'head' | 'waitBeyond'> => {
  const head = async (): Promise<number> =>
    Number((await pool.query<{ n: string }>('SELECT coalesce(max(n), -1) AS n FROM log')).rows[0]?.n);
  return {
    head,
    read: ({ after, until = Number.MAX_SAFE_INTEGER, scope, limit, isLazy }) =>
      readLogRows(pool, {
        isLazy,
        name: scope === undefined ? 'test-read' : 'test-read-scope',
        rows: `SELECT * FROM log WHERE n > $1 AND n <= $2 ${scope === undefined ? '' : 'AND scope = $4'} ORDER BY n LIMIT $3`,
        values: scope === undefined ? [after, until, limit] : [after, until, limit, scope],
      }),
    waitBeyond: async (after, milliseconds, signal) => {
      for (const end = performance.now() + milliseconds; signal?.aborted !== true;) {
        if ((await head()) > after) return true;
        const left = end - performance.now();
        if (left <= 0) return false;
        await new Promise((resolve) => setTimeout(resolve, Math.min(20, left)));
      }
      return false;
    },
  };
};

export async function insertEvents(pool: pg.Pool, events: readonly LogEvent[]): Promise<void> {
  for (let at = 0; at < events.length; at += 5000) {
    await pool.query(
      `INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
       SELECT n, n::text, id, stream, revision, type, version, scope, "recordedAt", data::text, meta::text
       FROM json_to_recordset($1) AS e (n bigint, id uuid, stream text, revision bigint, type text, version smallint, scope text,
                                        "recordedAt" timestamptz, data json, meta json)`,
      [JSON.stringify(events.slice(at, at + 5000))],
    );
  }
}
