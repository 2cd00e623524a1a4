import type pg from 'pg';
import { LogDamaged, readStreamRows } from '../log-rows.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import type { ReadOptions } from '../event-store.ts';
import { StoreUnavailable } from '../../kernel/errors.ts';

const PAGE = 500;

export async function* readStreamPages(pool: pg.Pool, stream: string, options: ReadOptions): AsyncGenerator<StreamEvent> {
  const { direction = 'forward', limit = Number.MAX_SAFE_INTEGER } = options;
  let from = options.from ?? (direction === 'forward' ? 0 : Number.MAX_SAFE_INTEGER);
  for (let left = limit; left > 0;) {
    const page = await readPage(pool, stream, direction, from, Math.min(left, PAGE));
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < Math.min(left, PAGE)) return;
    left -= page.length;
    from = last.revision + (direction === 'forward' ? 1 : -1);
  }
}

async function readPage(pool: pg.Pool, stream: string, direction: 'forward' | 'backward', from: number, count: number) {
  const rows =
    direction === 'forward'
      ? 'SELECT * FROM log WHERE stream = $1 AND revision >= $2 ORDER BY revision LIMIT $3'
      : 'SELECT * FROM log WHERE stream = $1 AND revision <= $2 ORDER BY revision DESC LIMIT $3';
  try {
    return await readStreamRows(pool, { name: `read_stream_${direction}`, rows, values: [stream, from, count] });
  } catch (cause) {
    if (cause instanceof LogDamaged) throw cause;
    throw new StoreUnavailable('the event store is away', { cause: new Error(`reading ${stream}`, { cause }) });
  }
}
