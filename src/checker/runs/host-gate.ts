import { Fifo } from '../../kernel/fair-queue.ts';
import { isUrl } from '../../kernel/url.ts';

export interface Passage {
  readonly projectId: string;
  readonly url: string;
  /** The pause after the request; evaluated when it has ended, because whether a request is sent is decided only then. */
  readonly delayMs: () => number;
  /** A further request of one sequence, such as submitting a form: it waits for the pause, but not behind other requests. */
  readonly isContinued?: boolean;
  /** A request of a job: scheduled requests pass in turn with it, so that a long job does not make them late. */
  readonly isOnDemand?: boolean;
}

/** The waiting requests of a busy host. */
class HostQueue {
  private readonly continued: (() => void)[] = [];
  private readonly scheduled = new Fifo<() => void>();
  private readonly onDemand = new Fifo<() => void>();

  constructor(private wasOnDemand: boolean) {}

  add(start: () => void, isContinued: boolean, isOnDemand: boolean): void {
    (isContinued ? this.continued : isOnDemand ? this.onDemand : this.scheduled).push(start);
  }

  next(): (() => void) | undefined {
    const continued = this.continued.shift();
    if (continued !== undefined) return continued;
    const isOnDemand = this.onDemand.length > 0 && (!this.wasOnDemand || this.scheduled.length === 0);
    this.wasOnDemand = isOnDemand;
    return (isOnDemand ? this.onDemand : this.scheduled).shift();
  }
}

/**
 * Mutual exclusion per project and host: one request at a time, `delayMs` after the one before (docs/spec/decisions.md#T13). Not a `KeyedMutex`, because
 * the pause outlasts the result, a continued sequence goes first, and scheduled requests alternate with those of jobs.
 */
export class HostGate {
  /** The waiting requests, of each host that is busy. */
  private readonly queues = new Map<string, HostQueue>();

  constructor(private readonly sleep: (milliseconds: number) => Promise<unknown>) {}

  async pass<Result>(
    { projectId, url, delayMs, isContinued = false, isOnDemand = false }: Passage,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const key = `${projectId} ${urlHost(url)}`;
    const queue = this.queues.get(key);
    if (queue === undefined) this.queues.set(key, new HostQueue(isOnDemand));
    else await new Promise<void>((start) => queue.add(start, isContinued, isOnDemand));
    try {
      return await work();
    } finally {
      void this.release(key, delayMs());
    }
  }

  private async release(key: string, delayMs: number): Promise<void> {
    if (delayMs > 0) await this.sleep(delayMs);
    const next = this.queues.get(key)?.next();
    if (next === undefined) this.queues.delete(key);
    else next();
  }
}

export const urlHost = (url: string): string => (isUrl(url) ? new URL(url).host : url);
