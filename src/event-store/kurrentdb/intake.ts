export type Intaken<T> = readonly T[] | 'silence' | 'end' | 'aborted';

/** The part of a readable stream of objects that is used; the client's own types of its streams are narrower than Node's. */
interface Source {
  readonly readableLength: number;
  read(): unknown;
  on(event: string, listener: (...values: unknown[]) => void): unknown;
}

const LARGEST_BATCH = 1000;

/** Takes what a stream of the client has, in batches, and tells silence from an end. An error comes after everything that arrived before it. */
export class Intake<T> {
  private failure: Error | undefined;
  private ended = false;
  private wake: () => void = () => undefined;

  constructor(private readonly stream: Source) {
    stream.on('readable', () => {
      this.wake();
    });
    // Stays attached for good: an error that comes late, with nobody reading any more, must not end the process.
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

  /** True when everything that arrived was taken. */
  get drained(): boolean {
    return this.stream.readableLength === 0;
  }

  async next(milliseconds: number, signal?: AbortSignal): Promise<Intaken<T>> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const batch = this.take();
      if (batch.length > 0) return batch;
      if (this.failure !== undefined) throw this.failure;
      if (signal?.aborted === true) return 'aborted';
      if (this.ended) return 'end';
      const left = deadline - performance.now();
      if (left <= 0) return 'silence';
      await this.woken(left, signal);
      // Messages come one by one, many in one turn of the event loop: let them come together.
      await new Promise(setImmediate);
    }
  }

  private take(): T[] {
    const batch: T[] = [];
    while (batch.length < LARGEST_BATCH) {
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
