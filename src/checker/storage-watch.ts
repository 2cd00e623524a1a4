import { pause } from '../kernel/abortable.ts';

export interface StorageWatchOptions {
  /** Resolves when observations can be stored again. */
  readonly ping: () => Promise<unknown>;
  readonly isOutage: (error: unknown) => boolean;
  /** Called on each change. */
  readonly onChanged: (isAway: boolean) => void;
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;

/** Suspends checks while their observations cannot be stored: nothing is decided from them, and sites would be asked in vain. */
export class StorageWatch {
  private away = false;
  private readonly closing = new AbortController();
  private pinging: Promise<void> = Promise.resolve();

  constructor(private readonly options: StorageWatchOptions) {}

  get isAway(): boolean {
    return this.away;
  }

  /** After each flush; `error` is null if it succeeded. */
  flushed(error: unknown): void {
    if (error === null || this.away || this.closing.signal.aborted || !this.options.isOutage(error)) return;
    this.changed(true);
    this.pinging = this.untilBack();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.pinging;
  }

  private async untilBack(): Promise<void> {
    const { ping, retryMs = RETRY_MS } = this.options;
    const { signal } = this.closing;
    while (!signal.aborted) {
      await pause(retryMs, signal);
      const isBack = await ping().then(
        () => true,
        () => false,
      );
      if (isBack) break;
    }
    this.changed(false);
  }

  private changed(isAway: boolean): void {
    this.away = isAway;
    this.options.onChanged(isAway);
  }
}
