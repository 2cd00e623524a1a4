import type pg from 'pg';
import type { EventMeta, LogEvent, StreamEvent } from '../kernel/event.ts';

/** A row of the log is not what was written: its text no longer is JSON, or more than one value. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

/** `rows` selects from `log`, in order; `name` names the prepared statement. */
export interface RowsQuery {
  readonly name: string;
  readonly rows: string;
  readonly values: readonly unknown[];
}

type Database = pg.Pool | pg.ClientBase;

/**
 * A batch leaves the database as one text a column, which one `JSON.parse` each turns into values: half the work of a row an event, for
 * the server and for us (docs/decisions/log-reading.md). Names and ids hold nothing that JSON escapes (`CHECK` of the table).
 */
const STREAM_COLUMNS = `
  string_agg(l.id::text, '","') AS id, string_agg(l.stream, '","') AS stream, string_agg(l.revision::text, ',') AS revision,
  string_agg(l.type, '","') AS type, string_agg(l.version::text, ',') AS version, string_agg(l.scope, '","') AS scope,
  string_agg(l.data, ',') AS data, string_agg(l.meta, ',') AS meta`;

/** `json_agg` writes times as ISO 8601 whatever the session's `DateStyle`. */
const LOG_COLUMNS = `
  string_agg(l.n::text, ',') AS n, json_agg(l.recorded_at AT TIME ZONE 'UTC')::text AS times, ${STREAM_COLUMNS}`;

type StreamTexts = Readonly<Record<'id' | 'stream' | 'revision' | 'type' | 'version' | 'scope' | 'data' | 'meta', string>>;
type LogTexts = StreamTexts & Readonly<Record<'n' | 'times', string>>;

export function readStreamRows(database: Database, query: RowsQuery): Promise<readonly StreamEvent[]> {
  return readRows<StreamTexts, StreamEvent>(database, query, STREAM_COLUMNS, (texts) => {
    const column = streamColumns(texts);
    refuseUneven(column);
    return column.id.map((id, index) => ({
      id,
      stream: at(column.stream, index),
      revision: at(column.revision, index),
      type: at(column.type, index),
      version: at(column.version, index),
      scope: at(column.scope, index),
      data: at(column.data, index),
      meta: at(column.meta, index),
    }));
  });
}

export function readLogRows(database: Database, query: RowsQuery): Promise<readonly LogEvent[]> {
  return readRows<LogTexts, LogEvent>(database, query, LOG_COLUMNS, (texts) => {
    const column = streamColumns(texts);
    const n = list<number>(`[${texts.n}]`);
    const times = list<string>(texts.times);
    refuseUneven({ n, times, ...column });
    // Spelt out, not spread: all events share one shape, and this is the hottest loop of a rebuild.
    return column.id.map((id, index) => ({
      n: at(n, index),
      recordedAt: microseconds(at(times, index)),
      id,
      stream: at(column.stream, index),
      revision: at(column.revision, index),
      type: at(column.type, index),
      version: at(column.version, index),
      scope: at(column.scope, index),
      data: at(column.data, index),
      meta: at(column.meta, index),
    }));
  });
}

async function readRows<Texts extends StreamTexts, Event>(
  database: Database,
  { name, rows, values }: RowsQuery,
  columns: string,
  parse: (texts: Texts) => readonly Event[],
): Promise<readonly Event[]> {
  const text = `SELECT ${columns} FROM (${rows}) AS l HAVING count(*) > 0`;
  const { rows: found } = await database.query<Texts>({ name, text, values: [...values] });
  const [texts] = found;
  if (texts === undefined) return [];
  try {
    return parse(texts);
  } catch (cause) {
    throw await whichIsDamaged(database, rows, values, cause);
  }
}

function streamColumns(texts: StreamTexts) {
  return {
    id: list<string>(`["${texts.id}"]`),
    stream: list<string>(`["${texts.stream}"]`),
    revision: list<number>(`[${texts.revision}]`),
    type: list<string>(`["${texts.type}"]`),
    version: list<number>(`[${texts.version}]`),
    scope: list<string>(`["${texts.scope}"]`),
    data: list<object>(`[${texts.data}]`),
    meta: list<EventMeta>(`[${texts.meta}]`),
  };
}

/** The columns' types are the table's, and `data` and `meta` are what an append put there. */
const list = <Value>(json: string): readonly Value[] => JSON.parse(json) as readonly Value[];

function at<Value>(column: readonly Value[], index: number): Value {
  const value = column[index];
  if (value === undefined) throw new RangeError('the columns differ in length');
  return value;
}

/** A text that holds two values, such as `{},{}`, would push those of all rows behind it to the wrong events. */
function refuseUneven(columns: Readonly<Record<string, readonly unknown[]>>): void {
  const [first, ...others] = Object.values(columns);
  if (others.some(({ length }) => length !== first?.length)) throw new RangeError('the columns differ in length');
}

const WHOLE = '2026-11-21T12:00:00'.length;
const FINEST = '2026-11-21T12:00:00.123456'.length;

/** The database leaves out zeros at the end. */
function microseconds(time: string): string {
  if (time.length === FINEST) return `${time}Z`;
  return `${(time.length === WHOLE ? `${time}.` : time).padEnd(FINEST, '0')}Z`;
}

/** One broken row breaks its batch: look at each to name it. */
async function whichIsDamaged(database: Database, rows: string, values: readonly unknown[], cause: unknown): Promise<LogDamaged> {
  const { rows: texts } = await database.query<RowTexts>({ text: `SELECT l.n, l.data, l.meta FROM (${rows}) AS l`, values: [...values] });
  const damaged = texts.find((row) => contentOf(row) === null);
  return new LogDamaged(`the event ${damaged?.n ?? 'of some position'} of the log is damaged: its text is not JSON`, { cause });
}

type RowTexts = Readonly<Record<'n' | 'data' | 'meta', string>>;

function contentOf({ data, meta }: Omit<RowTexts, 'n'>): { readonly data: object; readonly meta: EventMeta } | null {
  try {
    // The columns' types are the table's, as above.
    return { data: JSON.parse(data) as object, meta: JSON.parse(meta) as EventMeta };
  } catch {
    return null;
  }
}

/** Each row by itself, null where its content is not JSON: two that are broken may look whole together, where one ends what the other begins. */
export interface RowAlone {
  readonly n: number;
  readonly event: LogEvent | null;
}

export async function readRowsAlone(database: Database, after: number, limit: number): Promise<readonly RowAlone[]> {
  const { rows } = await database.query<Omit<LogEvent, 'n' | 'revision' | 'data' | 'meta'> & RowTexts & { readonly revision: string }>({
    name: 'log_rows_alone',
    text: `
      SELECT n, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "recordedAt", id, stream, revision, type, version, scope, data, meta
      FROM log WHERE n > $1 ORDER BY n LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => {
    const [n, content] = [Number(row.n), contentOf(row)];
    return { n, event: content && { ...row, ...content, n, revision: Number(row.revision) } };
  });
}
