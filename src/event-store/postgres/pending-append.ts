import type { AppendResult, ExpectedRevision } from '../event-store.ts';
import type { SerialisedEvent } from '../limits.ts';

/** An append that waits for its answer. */
export class PendingAppend {
  readonly answer: Promise<AppendResult>;
  readonly bytes: number;
  /** -1 where no stream is expected. */
  readonly revision: number;
  private resolve: (result: AppendResult) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  private done = false;

  constructor(
    readonly stream: string,
    expected: ExpectedRevision,
    readonly events: readonly SerialisedEvent[],
    /** By `performance.now()`: until then an unknown outcome is looked into. */
    readonly deadline: number,
  ) {
    this.revision = expected === 'no stream' ? -1 : expected;
    this.bytes = events.reduce((sum, event) => sum + event.bytes, 0);
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get settled(): boolean {
    return this.done;
  }

  /** `n` is that of the last of its events. */
  appended(n: number | string): void {
    this.done = true;
    this.resolve({ kind: 'appended', revision: this.revision + this.events.length, place: { position: String(n) } });
  }

  conflict(actual: number): void {
    this.done = true;
    this.resolve({ kind: 'conflict', actual: actual === -1 ? 'no stream' : actual });
  }

  fail(error: unknown): void {
    this.done = true;
    this.reject(error);
  }
}
