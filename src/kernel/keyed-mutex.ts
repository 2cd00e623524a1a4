import { unlessAborted } from './abortable.ts';

/** Mutual exclusion per key, first in, first out. */
export class KeyedMutex {
  private readonly tails = new Map<string, Promise<void>>();

  /**
   * Rejects with the signal's reason as soon as it aborts: work that still waits is then not begun; work that is under way keeps its key until it ends, so
   * that a key never has two of them.
   */
  async runExclusive<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const before = this.tails.get(key) ?? Promise.resolve();
    const result = before.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(key, tail);
    void tail.then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return signal === undefined ? result : unlessAborted(signal, result);
  }
}
