import type pg from 'pg';
import { LogDamaged, readLogRows } from '../log-rows.ts';
import type { Wake } from '../../persistence/wake.ts';
import type { FollowedEvent } from '../event-store.ts';

const PAGE = 500;
/** Without a bell a new event shows after this long. */
const POLL_MS = 500;

/** Commits happen under one lock, so whoever sees an event sees all before it: reading on from the last one misses nothing. */
export async function* followTable(
  pool: pg.Pool,
  wake: Wake,
  position: string | null,
  signal: AbortSignal,
): AsyncGenerator<readonly FollowedEvent[]> {
  let after = position === null ? -1 : Number(position);
  const bell = wake.bell('log');
  try {
    while (!signal.aborted) {
      const events = await pageAfter(pool, after).catch(away);
      if (events.length === 0) {
        await bell.wait(POLL_MS, signal);
        continue;
      }
      yield events;
      after = Number(events.at(-1)?.position);
    }
  } finally {
    bell.close();
  }
}

/** The database may be away for a while; the place is ours, so nothing is lost by asking again. A damaged log does not mend. */
function away(error: unknown): readonly FollowedEvent[] {
  if (error instanceof LogDamaged) throw error;
  return [];
}

async function pageAfter(pool: pg.Pool, after: number): Promise<readonly FollowedEvent[]> {
  const rows = 'SELECT * FROM log WHERE n > $1 ORDER BY n LIMIT $2';
  const page = await readLogRows(pool, { name: 'follow_store', rows, values: [after, PAGE] });
  return page.map(({ n, recordedAt, ...event }) => ({ ...event, position: String(n), storedAt: recordedAt }));
}
