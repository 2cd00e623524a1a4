import type { EventMeta, LogEvent, StreamEvent } from '../../kernel/event.ts';
import { damagedAt, type EventEnvelope, type LogDamaged, type StoredEvent, withLazyContent } from './lazy-event.ts';
import type { StreamEnd } from './event-store.ts';
import type pg from 'pg';

/** `rows` is a SELECT from `log` in the wanted order; `name` names the prepared statement. */
export interface RowsQuery {
  readonly name: string;
  readonly rows: string;
  readonly values: readonly unknown[];
}

type Database = pg.Pool | pg.ClientBase;

/**
 * A batch leaves the database as one text per column, parsed by one `JSON.parse` each: half the work of one row per event, on either side
 * (docs/decisions/log-reading.md). Names and ids hold no character that JSON escapes (`CHECK` of the table).
 */
const ENVELOPE_COLUMNS = `
  string_agg(l.id::text, '","') AS id, string_agg(l.stream, '","') AS stream, string_agg(l.revision::text, ',') AS revision,
  string_agg(l.type, '","') AS type, string_agg(l.version::text, ',') AS version, string_agg(l.scope, '","') AS scope`;
const STREAM_COLUMNS = `${ENVELOPE_COLUMNS}, string_agg(l.data, ',') AS data, string_agg(l.meta, ',') AS meta`;

/** Separates texts of JSON, which cannot hold it: a control character is escaped in a string and is no white space. */
const RECORD_SEPARATOR = String.fromCharCode(30);

/** `json_agg` writes times as ISO 8601 whatever the session's `DateStyle`. */
const PLACE_COLUMNS = `string_agg(l.n::text, ',') AS n, json_agg(l.recorded_at AT TIME ZONE 'UTC')::text AS times`;
const LOG_COLUMNS = `${PLACE_COLUMNS}, ${STREAM_COLUMNS}`;
const TEXT_COLUMNS = `${PLACE_COLUMNS}, ${ENVELOPE_COLUMNS},
  string_agg(l.data, chr(30)) AS data, string_agg(l.meta, chr(30)) AS meta`;

type StreamTexts = Readonly<Record<'id' | 'stream' | 'revision' | 'type' | 'version' | 'scope' | 'data' | 'meta', string>>;
type LogTexts = StreamTexts & Readonly<Record<'n' | 'times', string>>;

export function readStreamRows(database: Database, query: RowsQuery): Promise<readonly StreamEvent[]> {
  return readRows<StreamTexts, StreamEvent>(database, query, STREAM_COLUMNS, (texts) => {
    const column = streamColumns(texts);
    refuseUnequalLengths(column);
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

/** `isLazy`: the content of each event is parsed at its first access. */
export async function readLogRows(
  database: Database,
  { isLazy = false, ...query }: RowsQuery & { readonly isLazy?: boolean | undefined },
): Promise<readonly LogEvent[]> {
  if (isLazy) return (await readStoredRows(database, query)).map(withLazyContent);
  return readRows<LogTexts, LogEvent>(database, query, LOG_COLUMNS, logEvents);
}

/** For readers that send the data on unchanged, and parse an event just before. */
export function readStoredRows(database: Database, { name, ...query }: RowsQuery): Promise<readonly StoredEvent[]> {
  return readRows<LogTexts, StoredEvent>(database, { ...query, name: `${name}_stored` }, TEXT_COLUMNS, storedEvents);
}

function logEvents(texts: LogTexts): readonly LogEvent[] {
  const column = { ...placeColumns(texts), ...streamColumns(texts) };
  refuseUnequalLengths(column);
  return column.id.map((_, index) => withContent(envelopeAt(column, index), at(column.data, index), at(column.meta, index)));
}

function storedEvents(texts: LogTexts): readonly StoredEvent[] {
  const column = { ...placeColumns(texts), ...envelopeColumns(texts), ...contentTexts(texts) };
  refuseUnequalLengths(column);
  return column.id.map((_, index) => ({
    envelope: envelopeAt(column, index),
    data: at(column.data, index),
    meta: at(column.meta, index),
  }));
}

const envelopeAt = (column: ReturnType<typeof placeColumns> & ReturnType<typeof envelopeColumns>, index: number): EventEnvelope => ({
  n: at(column.n, index),
  recordedAt: microseconds(at(column.times, index)),
  id: at(column.id, index),
  stream: at(column.stream, index),
  revision: at(column.revision, index),
  type: at(column.type, index),
  version: at(column.version, index),
  scope: at(column.scope, index),
});

/** Assigned, because a copy of the envelope would take as long as parsing the content. */
function withContent(event: EventEnvelope & { data?: object; meta?: EventMeta }, data: object, meta: EventMeta): LogEvent {
  event.data = data;
  event.meta = meta;
  return event as LogEvent;
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
    throw await damagedRow(database, rows, values, cause);
  }
}

function envelopeColumns(texts: StreamTexts) {
  return {
    id: list<string>(`["${texts.id}"]`),
    stream: list<string>(`["${texts.stream}"]`),
    revision: list<number>(`[${texts.revision}]`),
    type: list<string>(`["${texts.type}"]`),
    version: list<number>(`[${texts.version}]`),
    scope: list<string>(`["${texts.scope}"]`),
  };
}

const placeColumns = (texts: LogTexts) => ({ n: list<number>(`[${texts.n}]`), times: list<string>(texts.times) });

const contentTexts = ({ data, meta }: LogTexts) => ({ data: data.split(RECORD_SEPARATOR), meta: meta.split(RECORD_SEPARATOR) });

const streamColumns = (texts: StreamTexts) => ({
  ...envelopeColumns(texts),
  data: list<object>(`[${texts.data}]`),
  meta: list<EventMeta>(`[${texts.meta}]`),
});

/** The cast holds because the columns have the table's types, and `data` and `meta` what an append wrote. */
const list = <Value>(json: string): readonly Value[] => JSON.parse(json) as readonly Value[];

function at<Value>(column: readonly Value[], index: number): Value {
  const value = column[index];
  if (value === undefined) throw new RangeError('the columns differ in length');
  return value;
}

/** A text that holds two values, such as `{},{}`, would shift those of all later rows to the wrong events. */
function refuseUnequalLengths(columns: Readonly<Record<string, readonly unknown[]>>): void {
  const [first, ...others] = Object.values(columns);
  if (others.some(({ length }) => length !== first?.length)) throw new RangeError('the columns differ in length');
}

const SECONDS_LENGTH = '2026-11-21T12:00:00'.length;
const MICROSECONDS_LENGTH = '2026-11-21T12:00:00.123456'.length;

/** Postgres omits trailing zeros. */
function microseconds(time: string): string {
  if (time.length === MICROSECONDS_LENGTH) return `${time}Z`;
  return `${(time.length === SECONDS_LENGTH ? `${time}.` : time).padEnd(MICROSECONDS_LENGTH, '0')}Z`;
}

/** One damaged row breaks the parsing of its batch; reads the rows one by one to name it. */
async function damagedRow(database: Database, rows: string, values: readonly unknown[], cause: unknown): Promise<LogDamaged> {
  const { rows: texts } = await database.query<RowTexts>({ text: `SELECT l.n, l.data, l.meta FROM (${rows}) AS l`, values: [...values] });
  const damaged = texts.find((row) => contentUnlessDamaged(row) === null);
  return damagedAt(damaged?.n ?? 'at an unknown position', cause);
}

type RowTexts = Readonly<Record<'n' | 'data' | 'meta', string>>;

interface Content {
  readonly data: object;
  readonly meta: EventMeta;
}

function contentUnlessDamaged({ data, meta }: Omit<RowTexts, 'n'>): Content | null {
  try {
    return contentOf(data, meta);
  } catch {
    return null;
  }
}

/** The casts hold because the columns have what an append wrote. */
const contentOf = (data: string, meta: string): Content => ({ data: JSON.parse(data) as object, meta: JSON.parse(meta) as EventMeta });

/** `event` is null where the row's content is not JSON. */
export interface CheckedRow {
  readonly n: number;
  readonly event: LogEvent | null;
}

/** Parses each row by itself: two damaged rows may parse together, where one completes the text of the other. */
export async function readRowsOneByOne(database: Database, after: number, limit: number): Promise<readonly CheckedRow[]> {
  const { rows } = await database.query<Omit<LogEvent, 'n' | 'revision' | 'data' | 'meta'> & RowTexts & { readonly revision: string }>({
    name: 'log_rows_alone',
    text: `
      SELECT n, to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "recordedAt", id, stream, revision, type, version, scope, data, meta
      FROM log WHERE n > $1 ORDER BY n LIMIT $2`,
    values: [after, limit],
  });
  return rows.map((row) => {
    const [n, content] = [Number(row.n), contentUnlessDamaged(row)];
    return { n, event: content && { ...row, ...content, n, revision: Number(row.revision) } };
  });
}

/** One index lookup for each stream. */
const ENDS = `
  SELECT wanted.stream, last.revision, last.id FROM unnest($1::text[]) AS wanted (stream)
  CROSS JOIN LATERAL (SELECT l.revision, l.id FROM log l WHERE l.stream = wanted.stream ORDER BY l.revision DESC LIMIT 1) AS last`;

/** The ends of streams as the log holds them. */
export async function readStreamEnds(db: Pick<pg.Pool, 'query'>, streams: readonly string[]): Promise<ReadonlyMap<string, StreamEnd>> {
  const { rows } = await db.query<{ stream: string; revision: string; id: string }>({ name: 'stream_ends', text: ENDS, values: [streams] });
  return new Map(rows.map(({ stream, revision, id }) => [stream, { revision: Number(revision), id }]));
}
