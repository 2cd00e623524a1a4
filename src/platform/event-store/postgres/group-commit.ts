import type pg from 'pg';
import { BackOff } from '../../../kernel/back-off.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { appendBatch, type PendingAppend } from './append-batch.ts';
import type { RecentAppends } from './recent-appends.ts';

const MAX_APPENDS = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
const FIRST_RETRY_MS = 10;
const MAX_RETRY_MS = 500;

/**
 * Group commit: one batch is in flight at a time, and the appends that arrive in the meantime make up the next. A batch holds a stream once, so that
 * one statement can check all its expected revisions.
 */
export class GroupCommit {
  private waiting: PendingAppend[] = [];
  private isSending = false;

  constructor(
    private readonly pool: pg.Pool,
    private readonly recent: RecentAppends,
    private readonly onCommitted: () => void,
  ) {}

  add(append: PendingAppend): void {
    this.waiting.push(append);
    if (!this.isSending) void this.drain();
  }

  private async drain(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      const batch = this.nextBatch();
      if (batch.length === 0) break;
      await appendUntilSettled(this.pool, batch, this.recent);
      this.onCommitted();
      // Callers that were just answered and append again at once join those that waited, in one batch.
      await new Promise(setImmediate);
    }
    this.isSending = false;
  }

  private nextBatch(): readonly PendingAppend[] {
    const batch: PendingAppend[] = [];
    const later: PendingAppend[] = [];
    const streams = new Set<string>();
    let bytes = 0;
    for (const append of withoutAborted(this.waiting)) {
      const fits = batch.length === 0 || (batch.length < MAX_APPENDS && bytes + append.bytes <= MAX_BATCH_BYTES);
      if (!fits || streams.has(append.stream)) {
        later.push(append);
      } else {
        batch.push(append);
        bytes += append.bytes;
      }
      // A deferred append defers every later one of its stream, which keeps their order.
      streams.add(append.stream);
    }
    this.waiting = later;
    return batch;
  }
}

/** The others fail: their callers do not wait any more. */
function withoutAborted(appends: readonly PendingAppend[]): readonly PendingAppend[] {
  for (const append of appends) if (append.isAborted) append.fail(append.signal?.reason);
  return appends.filter(({ isAborted }) => !isAborted);
}

/**
 * Retries the identical batch until each append has an outcome: those that were committed are recognised by their event ids. After its deadline an
 * append fails with `StoreUnavailable`, and its caller may repeat it. Never rejects.
 */
async function appendUntilSettled(pool: pg.Pool, batch: readonly PendingAppend[], recent: RecentAppends): Promise<void> {
  let pending = batch;
  const backOff = new BackOff(FIRST_RETRY_MS, MAX_RETRY_MS);
  for (;;) {
    try {
      await appendBatch(pool, pending, recent);
      return;
    } catch (cause) {
      for (const append of pending)
        if (!append.isSettled && (append.isAborted || performance.now() >= append.deadline))
          append.fail(new StoreUnavailable('the event store is not reachable; try again', { cause }));
      // A batch that was split may be settled in part.
      pending = pending.filter(({ isSettled }) => !isSettled);
      if (pending.length === 0) return;
      await backOff.wait();
      pending = withoutAborted(pending);
      if (pending.length === 0) return;
    }
  }
}
