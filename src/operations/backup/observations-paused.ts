import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const POLL_MS = 100;
const LIMIT_MS = 60_000;

/** Live owners of shards: each stores observations until it has released them. */
const OWNERS = `
  SELECT count(*)::int AS owners FROM lease WHERE name LIKE 'checker %' AND holder IS NOT NULL
  AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`;

/** Resolves when every checker has released its shards. */
export async function observationsArePaused(pool: pg.Pool, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await pool.query<{ owners: number }>(OWNERS);
    if (rows[0]?.owners === 0) return;
    if (performance.now() - began > LIMIT_MS)
      throw new Error(`the checkers did not pause within ${String(LIMIT_MS / 1_000)} s: stop them and repeat the command`);
    await sleep(POLL_MS);
  }
}
