import { LogDamaged } from '../event-store/lazy-event.ts';
import { readLogRows } from '../event-store/log-rows.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { type Bell, POLL_WITHOUT_RING_MS, type Wake } from '../postgres/wake.ts';
import { type LogQuery, LogReplaced, type Log, NotInLogYet } from './log.ts';
import { BatchedLookup } from '../postgres/batched-lookup.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type pg from 'pg';

/** Pages that the database prepares while one is processed: `n` has no gaps, so the start of each page is known before the previous one is read. */
const READ_AHEAD = 2;

type Page = readonly LogEvent[];

/**
 * Catch-up subscription to the log after `start`: reads pages ahead while there are many, then one at each wake-up or poll, until aborted. The bell is older
 * than the first read and remembers a ring, so that a page which is not full needs no second read of the end of the log.
 */
export async function* followPages(
  read: (query: LogQuery) => Promise<Page>,
  bell: Bell,
  start: number,
  signal: AbortSignal,
  limit: number,
): AsyncGenerator<Page> {
  let after = Math.max(start, -1);
  /** The id of the event at `after`, once it was read. */
  let id: string | null = null;
  let readAhead: Promise<Page>[] = [];
  const requestPage = () => {
    const position = after + readAhead.length * limit;
    // Includes the event before the page: only that event shows whether the page continues the history that was read.
    const page = read(position < 0 ? { after: position, limit } : { after: position - 1, limit: limit + 1 });
    // Handled here because an abort may leave the page unawaited.
    page.catch(() => undefined);
    readAhead.push(page);
  };
  try {
    while (!signal.aborted) {
      if (readAhead.length === 0) requestPage();
      const found = (await readAhead.shift()) ?? [];
      const page: Page = after < 0 ? found : eventsBehind(found, { n: after, id });
      if (after >= 0) id = found[0]?.id ?? id;
      const isFull = page.length === limit;
      // Pages read ahead of a page that was not full may lack events appended since.
      if (!isFull) readAhead = [];
      const last = page.at(-1);
      if (last !== undefined) {
        after += page.length;
        ({ id } = last);
        if (last.n !== after) throw gapBefore(last.n);
        while (isFull && readAhead.length < READ_AHEAD) requestPage();
        yield page;
      }
      if (!isFull) await bell.poll(signal);
    }
  } finally {
    bell.close();
  }
}

/** Empty while the log lacks the known event itself: an engine that mirrors another store writes it again. */
function eventsBehind([first, ...events]: Page, known: { readonly n: number; readonly id: string | null }): Page {
  if (first === undefined) return [];
  if (first.n !== known.n) throw gapBefore(first.n);
  if (known.id !== null && first.id !== known.id)
    throw new LogReplaced(`the log holds event ${first.id} at ${String(known.n)}, where ${known.id} was read before`);
  return events;
}

const gapBefore = (n: number): LogDamaged => new LogDamaged(`gap in the log: an event before ${String(n)} is missing`);

const PAGE = 2_000;
/** Shorter, because an HTTP response waits for it. */
const LOCATE_POLL_MS = 20;

/** Row comparison, so that only the index on (scope, n) fits: by `n` alone the planner would scan the events of all scopes. */
const SCOPE_ROWS = 'SELECT * FROM log WHERE (scope, n) > ($4, $1) AND (scope, n) <= ($4, $2) ORDER BY scope, n LIMIT $3';
/** The first of each type by the index `log_by_scope_type`, whose expression is repeated literally; scope and type exclude equal hashes in a form that no index fits. */
const OF_TYPE = 'hashtextextended(type, hashtextextended(scope, 0))';
const SCOPE_ROWS_BY_TYPE = `SELECT log.* FROM (SELECT DISTINCT value FROM unnest($5::text[]) AS given(value)) AS wanted CROSS JOIN LATERAL (
    SELECT * FROM log WHERE (scope, type) IS NOT DISTINCT FROM ($4, wanted.value)
      AND (${OF_TYPE}, n) > (hashtextextended(wanted.value, hashtextextended($4, 0)), $1)
      AND (${OF_TYPE}, n) <= (hashtextextended(wanted.value, hashtextextended($4, 0)), $2)
    ORDER BY ${OF_TYPE}, n LIMIT $3
  ) AS log ORDER BY n LIMIT $3`;
/** The length of a large value is known without reading it. */
const untilBytes = (rows: string, bytes: string): string => `SELECT * FROM (
    SELECT *, sum(octet_length(data)) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) - octet_length(data) AS bytes_before FROM (${rows}) AS page
  ) AS summed WHERE bytes_before < ${bytes} ORDER BY n`;

/** The log table, filled by the Postgres event store or by the mirror of another store. */
export class PostgresLog implements Log {
  /** A ring wakes all followers, most of them at the same position: they share one read. */
  private readonly followed = new BatchedLookup<Promise<readonly LogEvent[]>>((pages) =>
    Promise.resolve(new Map(pages.map((page) => [page, this.read(queryOf(page))]))),
  );

  constructor(
    private readonly pool: pg.Pool,
    private readonly wake: Wake,
    private readonly clock: Clock = systemClock,
  ) {}

  read({ after, until = Number.MAX_SAFE_INTEGER, scope, types, limit, bytes, isLazy }: LogQuery): Promise<readonly LogEvent[]> {
    if (scope === undefined) {
      const rows = 'SELECT * FROM log WHERE n > $1 AND n <= $2 ORDER BY n LIMIT $3';
      return readLogRows(this.pool, { name: 'read_log', rows, values: [after, until, limit], isLazy });
    }
    const [name, rows] = types === undefined ? ['read_scope', SCOPE_ROWS] : ['read_scope_types', SCOPE_ROWS_BY_TYPE];
    const values = [after, until, limit, scope, ...(types === undefined ? [] : [types])];
    if (bytes === undefined) return readLogRows(this.pool, { name, rows, values, isLazy });
    return readLogRows(this.pool, {
      isLazy,
      name: `${name}_bytes`,
      rows: untilBytes(rows, `$${String(values.length + 1)}`),
      values: [...values, bytes],
    });
  }

  async head(): Promise<number> {
    const { rows } = await this.pool.query<{ n: string | null }>({ name: 'log_head', text: 'SELECT max(n) AS n FROM log' });
    return Number(rows[0]?.n ?? -1);
  }

  async at(instant: string): Promise<number> {
    // Just before the year 1, which Postgres cannot parse.
    if (instant.startsWith('0000')) return -1;
    const { rows } = await this.pool.query<{ n: string }>({ name: 'log_at', text: 'SELECT log_at($1) AS n', values: [instant] });
    return Number(rows[0]?.n ?? -1);
  }

  follow(after: number, signal: AbortSignal, batch = PAGE): AsyncIterable<readonly LogEvent[]> {
    const read = async (query: LogQuery): Promise<readonly LogEvent[]> => {
      try {
        return (await this.followed.load(nameOf(query))) ?? [];
      } catch (error) {
        return emptyUnlessDamaged(error);
      }
    };
    return followPages(read, this.wake.bell('log'), after, signal, batch);
  }

  async waitBeyond(after: number, milliseconds: number, signal?: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    // Opened before the first read, so that no wake-up in between is missed.
    const bell = this.wake.bell('log');
    try {
      for (;;) {
        if ((await this.head().catch(() => -1)) > after) return true;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0 || signal?.aborted === true) return false;
        await bell.wait(Math.min(leftMs, POLL_WITHOUT_RING_MS), signal);
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
        const leftMs = deadline - this.clock.now();
        if (leftMs <= 0) throw new NotInLogYet(`the log has not reached position ${position}`);
        await bell.wait(Math.min(leftMs, LOCATE_POLL_MS));
      }
    } finally {
      bell.close();
    }
  }
}

const nameOf = ({ after, limit }: LogQuery): string => `${String(after)} ${String(limit)}`;

function queryOf(name: string): LogQuery {
  const [after = NaN, limit = NaN] = name.split(' ').map(Number);
  return { after, limit };
}

/** An outage is waited out, since the subscriber keeps its position; a damaged log does not repair itself. */
function emptyUnlessDamaged(error: unknown): readonly LogEvent[] {
  if (error instanceof LogDamaged) throw error;
  return [];
}

/** The Postgres engine uses `n` itself as the position. */
const POSTGRES_POSITION = /^\d+$/;

/**
 * The last `n` at or before a position of the store, null while the log has not reached it. Positions of the other engine sort as text and grow with
 * `n`: a galloping search back from the head needs no index and mostly ends at its first steps, because the position was just written.
 */
async function nOfPosition(pool: pg.Pool, position: string): Promise<number | null> {
  if (POSTGRES_POSITION.test(position)) return Number(position);
  const { rows } = await pool.query<Row>({ name: 'last_position', text: 'SELECT n, source_position FROM log ORDER BY n DESC LIMIT 1' });
  const head = rows[0];
  if (head === undefined || head.source_position < position) return null;
  let high = Number(head.n);
  if (head.source_position === position) return high;
  let low = high;
  for (let step = 1; low >= 0 && (await positionAt(pool, low)) > position; step *= 2) {
    high = low;
    low = Math.max(low - step, -1);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await positionAt(pool, middle)) <= position) low = middle;
    else high = middle;
  }
  return low;
}

interface Row {
  readonly n: string;
  readonly source_position: string;
}

async function positionAt(pool: pg.Pool, n: number): Promise<string> {
  const { rows } = await pool.query<Row>({ name: 'position_at', text: 'SELECT n, source_position FROM log WHERE n = $1', values: [n] });
  const row = rows[0];
  if (row === undefined) throw new RangeError(`the log has no event ${String(n)}`);
  return row.source_position;
}

/** The events at these positions, in the order of the log; those that the log does not have are missing. */
export const eventsAt = (pool: pg.Pool, positions: readonly number[]): Promise<readonly LogEvent[]> =>
  positions.length === 0
    ? Promise.resolve([])
    : readLogRows(pool, { name: 'log_events_at', rows: 'SELECT * FROM log WHERE n = ANY ($1::bigint[]) ORDER BY n', values: [positions] });
