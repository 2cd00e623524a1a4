import { LogDamaged } from '../lazy-event.ts';
import type pg from 'pg';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import type { StreamEvent } from '../../../kernel/event.ts';
import type { Wake } from '../../postgres/wake.ts';
import type { FollowedEvent, ReadOptions } from '../event-store.ts';
import { readLogRows, readStreamRows } from '../log-rows.ts';

const PAGE = 500;

export async function* readStreamPages(pool: pg.Pool, stream: string, options: ReadOptions): AsyncGenerator<StreamEvent> {
  const { direction = 'forward', limit = Number.MAX_SAFE_INTEGER } = options;
  let from = options.from ?? (direction === 'forward' ? 0 : Number.MAX_SAFE_INTEGER);
  for (let left = limit; left > 0;) {
    const page = await readStreamPage(pool, stream, direction, from, Math.min(left, PAGE));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < Math.min(left, PAGE)) return;
    left -= page.length;
    from = last.revision + (direction === 'forward' ? 1 : -1);
  }
}

/** The end of the stream is searched backward, so that the cost is that of the later events, however long the stream is. */
const LAST_UNTIL = `SELECT l.revision FROM log l WHERE l.stream = $1 AND l.n <= $2 ORDER BY l.revision DESC LIMIT 1`;

export async function* readStreamAfter(pool: pg.Pool, stream: string, after: string): AsyncGenerator<StreamEvent> {
  const rows = `SELECT * FROM log WHERE stream = $1 AND revision > coalesce((${LAST_UNTIL}), -1) ORDER BY revision LIMIT $3`;
  const page = await orUnavailable(stream, () =>
    readStreamRows(pool, { name: 'read_stream_after', rows, values: [stream, Number(after), PAGE] }),
  );
  yield* page;
  const last = page.at(-1);
  if (last !== undefined && page.length === PAGE) yield* readStreamPages(pool, stream, { from: last.revision + 1 });
}

function readStreamPage(pool: pg.Pool, stream: string, direction: 'forward' | 'backward', from: number, count: number) {
  const rows =
    direction === 'forward'
      ? 'SELECT * FROM log WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3'
      : 'SELECT * FROM log WHERE stream = $1 AND revision <= $2 ORDER BY revision DESC LIMIT $3';
  return orUnavailable(stream, () => readStreamRows(pool, { name: `read_stream_${direction}`, rows, values: [stream, from, count] }));
}

/** `what` names it in the log. */
export async function orUnavailable<Result>(what: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof LogDamaged) throw cause;
    throw new StoreUnavailable('the event store is not reachable; try again', { cause: new Error(`reading ${what}`, { cause }) });
  }
}

/** Catch-up subscription. Appends commit under one lock, in the order of `n`: a reader that sees an event has seen all before it. */
export async function* followLogTable(
  pool: pg.Pool,
  wake: Wake,
  position: string | null,
  signal: AbortSignal,
): AsyncGenerator<readonly FollowedEvent[]> {
  let after = position === null ? -1 : Number(position);
  const bell = wake.bell('log');
  try {
    while (!signal.aborted) {
      const events = await readPageAfter(pool, after).catch(emptyUnlessDamaged);
      if (events.length === 0) {
        await bell.poll(signal);
        continue;
      }
      yield events;
      after = Number(events.at(-1)?.position);
    }
  } finally {
    bell.close();
  }
}

/** An outage is waited out, since the position is kept here; a damaged log does not repair itself. */
function emptyUnlessDamaged(error: unknown): readonly FollowedEvent[] {
  if (error instanceof LogDamaged) throw error;
  return [];
}

async function readPageAfter(pool: pg.Pool, after: number): Promise<readonly FollowedEvent[]> {
  const rows = 'SELECT * FROM log WHERE n > $1 ORDER BY n LIMIT $2';
  const page = await readLogRows(pool, { name: 'follow_store', rows, values: [after, PAGE] });
  return page.map(({ n, recordedAt, ...event }) => ({ ...event, position: String(n), storedAt: recordedAt }));
}
