import { ConcurrencyLimit, type LaneFigures, QueueFull, type WorkSource } from '../../kernel/concurrency-limit.ts';
import { type PoolResult, type PoolTask, type WorkerOptions, WorkerSlot } from './worker-slot.ts';

export interface TaskOptions {
  /** Evaluated when a thread is free. */
  readonly isWanted?: () => boolean;
  /** Approximate memory held while it waits. */
  readonly bytes?: number;
  /** The account whose turn it takes. */
  readonly source?: WorkSource;
}

export interface WorkerPoolOptions extends WorkerOptions {
  readonly size: number;
  /** Limits of the queue; further tasks are refused. */
  readonly maxQueue?: number;
  readonly maxQueueBytes?: number;
  /** A task that waited longer for a thread is not started. */
  readonly maxWaitMs?: number;
}

const MAX_QUEUE = 500;
const MAX_QUEUE_BYTES = 64 * 1024 * 1024;

/** A pool of worker threads with a bounded queue, in which accounts take turns and get a share each. */
export class WorkerPool {
  private readonly slots: readonly WorkerSlot[];
  private readonly limit: ConcurrencyLimit;
  /** The bytes of the queued tasks, by account. */
  private readonly queuedBytes = new Map<number | undefined, number>();
  private refusedForBytes = 0;
  private isClosed = false;

  constructor(private readonly options: WorkerPoolOptions) {
    this.slots = Array.from({ length: options.size }, () => new WorkerSlot(options));
    this.limit = new ConcurrencyLimit(options.size, { maxQueue: options.maxQueue ?? MAX_QUEUE, shares: 'queue' });
  }

  get queue(): LaneFigures {
    const figures = this.limit.lane(false);
    return { ...figures, refused: figures.refused + this.refusedForBytes };
  }

  async run(
    message: unknown,
    timeoutMs: number,
    onReport: PoolTask['onReport'],
    { isWanted = () => true, bytes = 0, source: { account } = {} }: TaskOptions = {},
  ): Promise<PoolResult> {
    const { maxWaitMs = 10_000 } = this.options;
    if (!this.hasRoom(account, bytes)) {
      this.refusedForBytes++;
      return 'crowded';
    }
    const since = performance.now();
    this.addBytes(account, bytes);
    let isQueued = true;
    const leaveQueue = (): void => {
      if (isQueued) this.addBytes(account, -bytes);
      isQueued = false;
    };
    try {
      return await this.limit.run(
        async () => {
          leaveQueue();
          if (this.isClosed || performance.now() - since > maxWaitMs) return 'crowded';
          return isWanted() ? await this.assign({ message, timeoutMs, onReport }) : 'unwanted';
        },
        { account },
      );
    } catch (error) {
      if (error instanceof QueueFull) return 'crowded';
      throw error;
    } finally {
      leaveQueue();
    }
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all(this.slots.map((slot) => slot.close()));
  }

  /** A permit of the limit stands for a free thread. */
  private assign(task: Omit<PoolTask, 'end'>): Promise<PoolResult> {
    const slot = this.slots.find(({ isFree }) => isFree);
    if (slot === undefined) throw new Error('a permit without a free thread');
    return new Promise((end) => {
      slot.assign({ ...task, end });
    });
  }

  /** A single task may exceed the limit of bytes; an account queues at most as many as it leaves free. */
  private hasRoom(account: number | undefined, bytes: number): boolean {
    if (this.limit.lane(false).queued === 0) return true;
    const { maxQueueBytes = MAX_QUEUE_BYTES } = this.options;
    let room = maxQueueBytes;
    for (const queued of this.queuedBytes.values()) room -= queued;
    const own = account === undefined ? 0 : (this.queuedBytes.get(account) ?? 0);
    return bytes <= room && (own === 0 || own + bytes <= room);
  }

  private addBytes(account: number | undefined, bytes: number): void {
    const queued = (this.queuedBytes.get(account) ?? 0) + bytes;
    if (queued > 0) this.queuedBytes.set(account, queued);
    else this.queuedBytes.delete(account);
  }
}
