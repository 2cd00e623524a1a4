import { isUrl } from '../../kernel/url.ts';

export interface Passage {
  readonly projectId: string;
  readonly url: string;
  /** The pause after the request; evaluated when it has ended, because whether a request is sent is decided only then. */
  readonly delayMs: () => number;
  /** A further request of one sequence, such as submitting a form: it waits for the pause, but not behind other requests. */
  readonly isContinued?: boolean;
}

/**
 * Mutual exclusion per project and host: one request at a time, `delayMs` after the one before (docs/spec/decisions.md#T13). Not a `KeyedMutex`, because
 * the pause outlasts the result, and a continued sequence goes first.
 */
export class HostGate {
  /** The waiting requests, of each host that is busy. */
  private readonly queues = new Map<string, (() => void)[]>();

  constructor(private readonly sleep: (milliseconds: number) => Promise<unknown>) {}

  async pass<Result>({ projectId, url, delayMs, isContinued = false }: Passage, work: () => Promise<Result>): Promise<Result> {
    const key = `${projectId} ${urlHost(url)}`;
    const queue = this.queues.get(key);
    if (queue === undefined) this.queues.set(key, []);
    else await new Promise<void>((start) => (isContinued ? queue.unshift(start) : queue.push(start)));
    try {
      return await work();
    } finally {
      void this.release(key, delayMs());
    }
  }

  private async release(key: string, delayMs: number): Promise<void> {
    if (delayMs > 0) await this.sleep(delayMs);
    const next = this.queues.get(key)?.shift();
    if (next === undefined) this.queues.delete(key);
    else next();
  }
}

export const urlHost = (url: string): string => (isUrl(url) ? new URL(url).host : url);
