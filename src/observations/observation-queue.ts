import type { Fence } from './fence.ts';
import type { FencedBatch } from './packs/pack-writer.ts';

export interface QueueOptions {
  /** What is not urgent waits for so long, so that many share a row. */
  readonly everyMs: number;
}

interface Waiting<Item> {
  readonly fence: Fence;
  readonly projectId: string;
  readonly item: Item;
  readonly settle: (accepted: boolean) => void;
  readonly fail: (reason: unknown) => void;
}

/** Gathers what an instance observes into flushes, one under way at a time. An observation is accepted, refused, or of unknown fate, and whoever made it is told. */
export class ObservationQueue<Item> {
  private waiting: Waiting<Item>[] = [];
  private timer: NodeJS.Timeout | null = null;
  private dueAt = Infinity;
  private flushing: Promise<void> | null = null;

  constructor(
    private readonly store: { accept(batches: readonly FencedBatch<Item>[]): Promise<ReadonlySet<string>> },
    private readonly options: QueueOptions = { everyMs: 1000 },
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** False: the lease was lost, and nothing may be decided from it. Rejects when the database did not answer. `urgent`: something hangs on it. */
  add(fence: Fence, projectId: string, item: Item, urgent: boolean): Promise<boolean> {
    return new Promise((settle, fail) => {
      this.waiting.push({ fence, projectId, item, settle, fail });
      if (urgent) this.wake(0);
      else this.wake(this.options.everyMs);
    });
  }

  /** Until everything that waits now is written or refused. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0 || this.flushing !== null) {
      this.wake(0);
      await (this.flushing ?? new Promise((done) => setImmediate(done)));
    }
  }

  private wake(inMs: number): void {
    const at = performance.now() + inMs;
    if (this.flushing !== null || (this.timer !== null && this.dueAt <= at)) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.dueAt = at;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.dueAt = Infinity;
      this.flushing = this.flush().finally(() => {
        this.flushing = null;
        // Whatever came meanwhile has waited long enough.
        if (this.waiting.length > 0) this.wake(0);
      });
    }, inMs);
  }

  private async flush(): Promise<void> {
    const taken = this.waiting;
    this.waiting = [];
    try {
      const batches = batchesOf(taken);
      const accepted = await this.store.accept(batches);
      const epochs = new Map(batches.map(({ fence }) => [fence.name, fence.epoch]));
      for (const { fence, settle } of taken) settle(accepted.has(fence.name) && epochs.get(fence.name) === fence.epoch);
    } catch (reason) {
      for (const { fail } of taken) fail(reason);
    }
  }
}

/** A lease that was lost and won again has two epochs here: batches of their own, so that the old one costs the new one nothing. */
function batchesOf<Item>(waiting: readonly Waiting<Item>[]): readonly FencedBatch<Item>[] {
  const batches = new Map<string, { fence: Fence; observed: { projectId: string; item: Item }[] }>();
  for (const { fence, projectId, item } of waiting) {
    const known = batches.get(fence.name);
    if (known === undefined || known.fence.epoch < fence.epoch) batches.set(fence.name, { fence, observed: [{ projectId, item }] });
    else if (known.fence.epoch === fence.epoch) known.observed.push({ projectId, item });
  }
  return [...batches.values()];
}
