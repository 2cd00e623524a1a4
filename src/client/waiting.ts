const FIRST_MS = 250;
const MOST_MS = 10_000;

const backOffOf = (attempt: number): number => Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), MOST_MS);

/** The sum of the pauses after the attempts from one to before another, without jitter. */
export const backOffsOf = (from: number, to: number): number =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => backOffOf(from + index)).reduce((sum, one) => sum + one, 0);

/** Exponential backoff with jitter, so that many clients of one server do not retry in one wave. `least`: what the server asked for. */
export function delayOf(attempt: number, least: number | null): number {
  const backOff = backOffOf(attempt);
  return least === null ? backOff * (0.75 + Math.random() / 2) : least + Math.random() * Math.min(backOff, 1000);
}

/** Rejects with the reason of the signal as soon as it aborts. */
export function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Aborts with the caller's signal, or when its time is over. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #onAbort = (): void => {
    this.#controller.abort(this.caller?.reason);
  };
  #timer: ReturnType<typeof setTimeout> | undefined;
  isOver = false;

  constructor(
    private readonly caller: AbortSignal | undefined,
    milliseconds: number,
  ) {
    caller?.addEventListener('abort', this.#onAbort, { once: true });
    if (caller?.aborted === true) this.#onAbort();
    this.restart(milliseconds);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(milliseconds: number): void {
    this.stop();
    this.#timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, milliseconds);
  }

  /** Without a limit until the next start. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Ends the request, and frees timer and listener. */
  end(): void {
    this.stop();
    this.caller?.removeEventListener('abort', this.#onAbort);
    this.#controller.abort();
  }
}
