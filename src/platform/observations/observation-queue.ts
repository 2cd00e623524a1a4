import type { FencingToken } from './fences.ts';
import type { FencedBatch } from './packs/pack-writer.ts';
import { WriteBehind } from './write-behind.ts';

export interface QueueOptions {
  /** Flush interval of observations that are not urgent, so that many share a row. */
  readonly flushMs: number;
  /** Called after each flush; `error` is null if it succeeded. */
  readonly onFlushed?: (error: unknown) => void;
}

interface Queued<Item> {
  readonly fence: FencingToken;
  readonly projectId: string;
  readonly item: Item;
}

/** The observations of an instance on their way into the store. Each caller learns whether its own was written, refused or is of unknown outcome. */
export class ObservationQueue<Item> {
  private readonly writes: WriteBehind<Queued<Item>, boolean>;

  constructor(
    private readonly store: { accept(batches: readonly FencedBatch<Item>[]): Promise<ReadonlySet<string>> },
    private readonly options: QueueOptions = { flushMs: 1000 },
  ) {
    this.writes = new WriteBehind((queued) => this.accept(queued), options);
  }

  get length(): number {
    return this.writes.length;
  }

  /** Resolves with false when the lease was lost: then nothing may be decided from the item. Rejects when the outcome is unknown. `urgent` flushes at once. */
  add(fence: FencingToken, projectId: string, item: Item, urgent: boolean): Promise<boolean> {
    return this.writes.add({ fence, projectId, item }, urgent);
  }

  /** Resolves once every queued item is written or refused. */
  drain(): Promise<void> {
    return this.writes.drain();
  }

  private async accept(queued: readonly Queued<Item>[]): Promise<readonly boolean[]> {
    const batches = batchesOf(queued);
    const accepted = await this.store.accept(batches).catch((reason: unknown) => {
      this.options.onFlushed?.(reason);
      throw reason;
    });
    this.options.onFlushed?.(null);
    const epochs = new Map(batches.map(({ fence }) => [fence.name, fence.epoch]));
    return queued.map(({ fence }) => accepted.has(fence.name) && epochs.get(fence.name) === fence.epoch);
  }
}

/** One batch per lease, with its newest epoch only: items of an older epoch are refused and do not spoil those of the newer one. */
function batchesOf<Item>(queued: readonly Queued<Item>[]): readonly FencedBatch<Item>[] {
  const batches = new Map<string, { fence: FencingToken; observed: { projectId: string; item: Item }[] }>();
  for (const { fence, projectId, item } of queued) {
    const known = batches.get(fence.name);
    if (known === undefined || known.fence.epoch < fence.epoch) batches.set(fence.name, { fence, observed: [{ projectId, item }] });
    else if (known.fence.epoch === fence.epoch) known.observed.push({ projectId, item });
  }
  return [...batches.values()];
}
