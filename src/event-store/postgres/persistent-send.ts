import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StoreUnavailable } from '../limits.ts';
import { appendBatch } from './append-batch.ts';
import type { PendingAppend } from './batch-queue.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 500;

/**
 * Sends the identical batch until the database said what became of it: those that landed are recognised by their ids. Each append has a
 * deadline; after it the outcome stays unknown, and its caller may repeat it. Never rejects.
 */
export async function sendPersistently(pool: pg.Pool, batch: readonly PendingAppend[]): Promise<void> {
  let pending = batch.map(watched);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      await appendBatch(pool, pending);
      return;
    } catch (cause) {
      const unsettled = pending.filter(({ settled }) => !settled());
      for (const late of unsettled.filter(isLate)) late.fail(new StoreUnavailable('the event store is away', { cause }));
      pending = unsettled.filter((append) => !isLate(append));
      if (pending.length === 0) return;
      await sleep(pause);
    }
  }
}

const isLate = ({ deadline }: PendingAppend): boolean => performance.now() >= deadline;

/** A batch that was taken apart may be settled in part when the connection breaks. */
function watched(append: PendingAppend): PendingAppend & { readonly settled: () => boolean } {
  let settled = false;
  return {
    ...append,
    settled: () => settled,
    settle: (result) => {
      settled = true;
      append.settle(result);
    },
    fail: (error) => {
      settled = true;
      append.fail(error);
    },
  };
}
