import { CallTimedOut } from './timeouts.ts';

export type StreamBatch<T> = readonly T[] | 'silence' | 'end' | 'aborted';

/** The part of a readable object stream that is used; the client's types of its streams are narrower than Node's. */
interface Source {
  readonly readableLength: number;
  read(): unknown;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
}

const MAX_BATCH = 1000;

/** Reads a stream of the client in batches and distinguishes silence from its end. An error is thrown after everything that arrived before it. */
export class BatchReader<T> {
  private failure: Error | undefined;
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(private readonly stream: Source) {
    stream.on('readable', () => {
      this.wake();
    });
    // Never removed: a late error on a stream without a reader must not end the process.
    stream.on('error', (error) => {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      this.wake();
    });
    for (const last of ['end', 'close']) {
      stream.on(last, () => {
        this.ended = true;
        this.wake();
      });
    }
  }

  /** True when everything that arrived was read. */
  get isDrained(): boolean {
    return this.stream.readableLength === 0;
  }

  async next(milliseconds: number, signal?: AbortSignal): Promise<StreamBatch<T>> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const batch = this.readBuffered();
      if (batch.length > 0) return batch;
      if (this.failure !== undefined) throw this.failure;
      if (signal?.aborted === true) return 'aborted';
      if (this.ended) return 'end';
      const left = deadline - performance.now();
      if (left <= 0) return 'silence';
      await this.woken(left, signal);
      // Messages arrive one by one, many within one turn of the event loop: batch them.
      await new Promise(setImmediate);
    }
  }

  private readBuffered(): T[] {
    const batch: T[] = [];
    while (batch.length < MAX_BATCH) {
      const item: T | null = this.stream.read() as T | null; // streams of objects are untyped in Node
      if (item === null) break;
      batch.push(item);
    }
    return batch;
  }

  private woken(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      this.wake = done;
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}

interface Cancellable {
  cancel(): Promise<unknown>;
}

/** All events of a read. Silence is an error, and a read that did not reach its end is cancelled. */
export async function readToEnd<Event>(reading: Cancellable & Source, silenceMs: number): Promise<readonly Event[]> {
  const reader = new BatchReader<{ event?: Event }>(reading);
  const events: Event[] = [];
  let isComplete = false;
  try {
    for (;;) {
      const batch = await reader.next(silenceMs);
      if (batch === 'silence') throw new CallTimedOut(silenceMs);
      if (batch === 'end' || batch === 'aborted') break;
      for (const { event } of batch) if (event) events.push(event);
    }
    isComplete = true;
    return events;
  } finally {
    if (!isComplete) void reading.cancel().catch(() => undefined);
  }
}
