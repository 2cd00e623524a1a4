import type { PendingAppend } from './pending-append.ts';

const MAX_APPENDS = 512;
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/**
 * Group commit: one batch is on its way at a time, and what comes meanwhile makes up the next. A lone append goes at once. A batch holds
 * a stream once, so that the database can judge its appends all together.
 */
export class BatchQueue {
  private waiting: PendingAppend[] = [];
  private sending = false;

  constructor(private readonly send: (batch: readonly PendingAppend[]) => Promise<void>) {}

  add(append: PendingAppend): void {
    this.waiting.push(append);
    if (!this.sending) void this.drain();
  }

  private async drain(): Promise<void> {
    this.sending = true;
    while (this.waiting.length > 0) {
      await this.send(this.take());
      // Those who were just answered and append again at once belong into one batch, together with those who waited.
      await new Promise(setImmediate);
    }
    this.sending = false;
  }

  private take(): readonly PendingAppend[] {
    const batch: PendingAppend[] = [];
    const later: PendingAppend[] = [];
    const streams = new Set<string>();
    let bytes = 0;
    for (const append of this.waiting) {
      const fits = batch.length === 0 || (batch.length < MAX_APPENDS && bytes + append.bytes <= MAX_BATCH_BYTES);
      if (!fits || streams.has(append.stream)) {
        later.push(append);
      } else {
        batch.push(append);
        bytes += append.bytes;
      }
      // What stays behind keeps its stream's later appends behind it.
      streams.add(append.stream);
    }
    this.waiting = later;
    return batch;
  }
}
