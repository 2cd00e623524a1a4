import type { FencingToken } from './fences.ts';
import type { FencedBatch } from './packs/pack-writer.ts';

export interface QueueOptions {
  /** Flush interval of observations that are not urgent, so that many share a row. */
  readonly flushMs: number;
  /** Called after each flush; `error` is null if it succeeded. */
  readonly onFlushed?: (error: unknown) => void;
}

interface Waiting<Item> {
  readonly fence: FencingToken;
  readonly projectId: string;
  readonly item: Item;
  readonly settle: (accepted: boolean) => void;
  readonly fail: (reason: unknown) => void;
}

/** Write-behind queue: batches the observations of an instance into flushes, one at a time. Each caller learns whether its own was written, refused or is of unknown outcome. */
export class ObservationQueue<Item> {
  private waiting: Waiting<Item>[] = [];
  private timer: NodeJS.Timeout | null = null;
  private dueAt = Infinity;
  private flushing: Promise<void> | null = null;

  constructor(
    private readonly store: { accept(batches: readonly FencedBatch<Item>[]): Promise<ReadonlySet<string>> },
    private readonly options: QueueOptions = { flushMs: 1000 },
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** Resolves with false when the lease was lost: then nothing may be decided from the item. Rejects when the outcome is unknown. `urgent` flushes at once. */
  add(fence: FencingToken, projectId: string, item: Item, urgent: boolean): Promise<boolean> {
    return new Promise((settle, fail) => {
      this.waiting.push({ fence, projectId, item, settle, fail });
      if (urgent) this.scheduleFlush(0);
      else this.scheduleFlush(this.options.flushMs);
    });
  }

  /** Resolves once every queued item is written or refused. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0 || this.flushing !== null) {
      this.scheduleFlush(0);
      await (this.flushing ?? new Promise((done) => setImmediate(done)));
    }
  }

  private scheduleFlush(inMs: number): void {
    const at = performance.now() + inMs;
    if (this.flushing !== null || (this.timer !== null && this.dueAt <= at)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.dueAt = Infinity;
      this.flushing = this.flush().finally(() => {
        this.flushing = null;
        // Items queued during a flush have waited long enough.
        if (this.waiting.length > 0) this.scheduleFlush(0);
      });
    }, inMs);
  }

  private async flush(): Promise<void> {
    const items = this.waiting;
    this.waiting = [];
    try {
      const batches = batchesOf(items);
      const accepted = await this.store.accept(batches);
      this.options.onFlushed?.(null);
      const epochs = new Map(batches.map(({ fence }) => [fence.name, fence.epoch]));
      for (const { fence, settle } of items) settle(accepted.has(fence.name) && epochs.get(fence.name) === fence.epoch);
    } catch (reason) {
      this.options.onFlushed?.(reason);
      for (const { fail } of items) fail(reason);
    }
  }
}

/** One batch per lease, with its newest epoch only: items of an older epoch are refused and do not spoil those of the newer one. */
function batchesOf<Item>(waiting: readonly Waiting<Item>[]): readonly FencedBatch<Item>[] {
  const batches = new Map<string, { fence: FencingToken; observed: { projectId: string; item: Item }[] }>();
  for (const { fence, projectId, item } of waiting) {
    const known = batches.get(fence.name);
    if (known === undefined || known.fence.epoch < fence.epoch) batches.set(fence.name, { fence, observed: [{ projectId, item }] });
    else if (known.fence.epoch === fence.epoch) known.observed.push({ projectId, item });
  }
  return [...batches.values()];
}
