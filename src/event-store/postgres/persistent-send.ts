import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StoreUnavailable } from '../../kernel/errors.ts';
import { appendBatch } from './append-batch.ts';
import type { PendingAppend } from './pending-append.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Sends the identical batch until the database said what became of it: those that landed are recognised by their ids. Each append has a
 * deadline; after it the outcome stays unknown, and its caller may repeat it. Never rejects.
 */
export async function sendPersistently(pool: pg.Pool, batch: readonly PendingAppend[]): Promise<void> {
  let pending = batch;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      await appendBatch(pool, pending);
      return;
    } catch (cause) {
      // A batch that was taken apart may be settled in part.
      for (const append of pending)
        if (!append.settled && isLate(append)) append.fail(new StoreUnavailable('the event store is away', { cause }));
      pending = pending.filter(({ settled }) => !settled);
      if (pending.length === 0) return;
      await sleep(pause);
    }
  }
}

const isLate = ({ deadline }: PendingAppend): boolean => performance.now() >= deadline;
