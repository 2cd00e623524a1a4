/** How long evidence that is not urgent is gathered: with its lookup and its page that is as long as a run waits to be stored with others. */
export const GATHER_MS = 250;

export interface WriteBehindOptions<Item> {
  /** How long items that are not urgent are gathered, so that many share a write. */
  readonly flushMs: number;
  /** What an item weighs; without it a write has no bound. */
  readonly bytesOf?: (item: Item) => number;
}

interface Waiting<Item, Outcome> {
  readonly item: Item;
  readonly settle: (outcome: Outcome) => void;
  readonly fail: (reason: unknown) => void;
}

/** The limit of one write; an item that alone is larger is written alone. */
const MAX_WRITE_BYTES = 4 * 1024 * 1024;

/** Write-behind queue: gathers items into writes, one at a time. Each caller learns the outcome of its own item, or that it is unknown. */
export class WriteBehind<Item, Outcome> {
  private waiting: Waiting<Item, Outcome>[] = [];
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | null = null;
  private dueAt = Infinity;
  private flushing: Promise<void> | null = null;

  constructor(
    /** Answers the outcome of every item, in the same order. */
    private readonly write: (items: readonly Item[]) => Promise<readonly Outcome[]>,
    private readonly options: WriteBehindOptions<Item>,
  ) {}

  get length(): number {
    return this.waiting.length;
  }

  /** Rejects when the outcome is unknown. `urgent` flushes at once, as does an item that fills the write. */
  add(item: Item, urgent: boolean): Promise<Outcome> {
    return new Promise((settle, fail) => {
      this.waiting.push({ item, settle, fail });
      this.waitingBytes += this.bytesOf(item);
      this.scheduleFlush(urgent || this.waitingBytes >= MAX_WRITE_BYTES ? 0 : this.options.flushMs);
    });
  }

  /** Resolves once every queued item is written or refused. */
  async drain(): Promise<void> {
    while (this.waiting.length > 0 || this.flushing !== null) {
      this.scheduleFlush(0);
      await (this.flushing ?? new Promise((done) => setImmediate(done)));
    }
  }

  private bytesOf(item: Item): number {
    return this.options.bytesOf?.(item) ?? 0;
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
    const batch = this.nextBatch();
    try {
      const outcomes = await this.write(batch.map(({ item }) => item));
      for (const [index, outcome] of outcomes.entries()) batch[index]?.settle(outcome);
    } catch (reason) {
      for (const { fail } of batch) fail(reason);
    }
  }

  private nextBatch(): readonly Waiting<Item, Outcome>[] {
    let bytes = 0;
    let count = 0;
    for (const { item } of this.waiting) {
      const more = this.bytesOf(item);
      if (count > 0 && bytes + more > MAX_WRITE_BYTES) break;
      bytes += more;
      count++;
    }
    this.waitingBytes -= bytes;
    return this.waiting.splice(0, count);
  }
}
