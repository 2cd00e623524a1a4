import type pg from 'pg';
import type { LogEvent, StreamEvent } from '../kernel/event.ts';

/** A row of the log is not what was written: its text no longer is JSON. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

const STREAM_EVENT = `'"id":"' || l.id || '","stream":"' || l.stream || '","revision":' || l.revision || ',"type":"' || l.type || '","version":'
  || l.version || ',"scope":"' || l.scope || '","data":' || l.data || ',"meta":' || l.meta || '}'`;

const LOG_EVENT = `'{"n":' || l.n || ',"recordedAt":"' || to_char(l.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '",'
  || ${STREAM_EVENT}`;

/**
 * Rows of the log leave the database as one text a batch and become events in one `JSON.parse`: half the cost of a row of eleven columns
 * (docs/decisions/log-reading.md). `rows` selects from `log l`, in order.
 */
export interface RowsQuery {
  /** Names the prepared statement. */
  readonly name: string;
  readonly rows: string;
  readonly values: readonly unknown[];
}

export async function readStreamRows(database: pg.Pool | pg.ClientBase, query: RowsQuery): Promise<readonly StreamEvent[]> {
  // The text was made of a row by the expression above, which is the shape that is named here.
  return (await readRows(database, query, `'{' || ${STREAM_EVENT}`)) as readonly StreamEvent[];
}

export async function readLogRows(database: pg.Pool | pg.ClientBase, query: RowsQuery): Promise<readonly LogEvent[]> {
  return (await readRows(database, query, LOG_EVENT)) as readonly LogEvent[];
}

async function readRows(database: pg.Pool | pg.ClientBase, { name, rows, values }: RowsQuery, event: string): Promise<readonly unknown[]> {
  const text = `SELECT string_agg(${event}, ',') AS events FROM (${rows}) AS l`;
  const { rows: found } = await database.query<{ events: string | null }>({ name, text, values: [...values] });
  const events = found[0]?.events ?? '';
  try {
    const parsed: unknown = JSON.parse(`[${events}]`);
    return Array.isArray(parsed) ? parsed : [];
  } catch (cause) {
    throw await whichIsDamaged(database, rows, values, cause);
  }
}

/** One broken row breaks its batch: look at each to name it. */
async function whichIsDamaged(
  database: pg.Pool | pg.ClientBase,
  rows: string,
  values: readonly unknown[],
  cause: unknown,
): Promise<LogDamaged> {
  const { rows: damaged } = await database.query<{ n: string }>({
    text: `SELECT l.n FROM (${rows}) AS l WHERE NOT (pg_input_is_valid(l.data, 'json') AND pg_input_is_valid(l.meta, 'json')) LIMIT 1`,
    values: [...values],
  });
  return new LogDamaged(`the event ${damaged[0]?.n ?? 'of some position'} of the log is damaged: its text is not JSON`, { cause });
}
